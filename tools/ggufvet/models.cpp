#include "models.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::size_t kSuffixBytes = 20;  // -00001-of-00003.gguf
constexpr unsigned kShardsMax = 99'999;

struct ShardName {
  std::string prefix;
  unsigned number = 0;
  unsigned count = 0;
};

[[nodiscard]] bool read_digits(std::string_view text, unsigned& value) {
  value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return true;
}

[[nodiscard]] bool parse_shard_name(const std::string& path, ShardName& name) {
  if (path.size() <= kSuffixBytes) return false;
  const std::string_view suffix = std::string_view(path).substr(path.size() - kSuffixBytes);
  if (suffix[0] != '-' || suffix.substr(6, 4) != "-of-" || suffix.substr(15) != ".gguf") return false;
  name.prefix = path.substr(0, path.size() - kSuffixBytes);
  return read_digits(suffix.substr(1, 5), name.number) && read_digits(suffix.substr(10, 5), name.count) &&
         name.count > 0 && name.count <= kShardsMax && name.number > 0 && name.number <= name.count;
}

[[nodiscard]] std::string tensor_problem(const Vetted& vetted) {
  const FileModel& file = vetted.file;
  if (!file.complete()) return "its directory cannot be read to the end";
  for (std::uint32_t index = 0; index < file.tensors.size(); ++index) {
    const TensorFacts& facts = vetted.facts.tensors[index];
    const std::string name = fmt::format("tensor \"{}\"", escaped(file.tensors[index].name));
    const ByteRange data = vetted.facts.data_range(index);
    if (!vetted.facts.data_begin || facts.size_problem != SizeProblem::none || facts.end_overflows)
      return name + " has no size that can be computed; try --dialect";
    if (data.end > file.file_bytes) return name + " is not whole: the file ends before it does";
    if (facts.offset_problem == OffsetProblem::overlap) return name + " overlaps another tensor";
  }
  if (!vetted.facts.duplicate_names.empty()) return "two tensors have the same name";
  return {};
}

}  // namespace

std::uint64_t OpenModel::data_bytes() const {
  std::uint64_t bytes = 0;
  for (const Shard& shard : shards)
    for (std::uint32_t index = 0; index < shard.vetted->facts.tensors.size(); ++index)
      bytes += shard.vetted->facts.data_range(index).size();
  return bytes;
}

std::vector<std::string> shard_paths(const std::string& path) {
  ShardName name;
  if (!parse_shard_name(path, name)) return {path};
  std::vector<std::string> paths;
  for (unsigned number = 1; number <= name.count; ++number)
    paths.push_back(fmt::format("{}-{:05}-of-{:05}.gguf", name.prefix, number, name.count));
  return paths;
}

std::string model_path(const std::string& path) {
  ShardName name;
  return parse_shard_name(path, name) ? name.prefix + ".gguf" : path;
}

std::optional<std::size_t> shard_index(const std::string& path) {
  ShardName name;
  if (!parse_shard_name(path, name)) return std::nullopt;
  return name.number - 1;
}

OpenModel open_model(const std::string& path, const VetOptions& options, bool alone) {
  OpenModel model;
  std::vector<std::string> paths = alone ? std::vector<std::string>{path} : shard_paths(path);
  for (std::string& shard_path : paths) {
    Shard shard{std::move(shard_path), nullptr, nullptr};
    OpenedSource opened = open_input(shard.path);
    model.problem = opened.problem;
    if (opened.source) {
      shard.source = std::move(opened.source);
      shard.vetted = vet(*shard.source, options);
      model.problem = tensor_problem(*shard.vetted);
    }
    if (!model.ok()) {
      model.problem = fmt::format("{}: {}", escaped(shard.path, 4096), model.problem);
      return model;
    }
    model.shards.push_back(std::move(shard));
  }
  return model;
}

bool for_each_piece(ByteSource& source, ByteRange range, const PieceVisitor& visit, std::string& problem) {
  const std::unique_ptr<std::byte[]> room(new std::byte[kPieceBytes]);
  for (std::uint64_t begin = range.begin; begin < range.end; begin += kPieceBytes) {
    const std::uint64_t end = std::min<std::uint64_t>(range.end, begin + kPieceBytes);
    if (interrupted()) {
      problem = "interrupted";
      return false;
    }
    const auto piece = source.view(begin, std::span(room.get(), static_cast<std::size_t>(end - begin)));
    if (!piece) {
      problem = words_of(piece.error());
      return false;
    }
    visit(*piece);
    source.release({begin, end});
  }
  return true;
}

bool verify_sources(const OpenModel& model, std::string& problem) {
  for (const Shard& shard : model.shards)
    if (const auto intact = shard.source->verify(); !intact) {
      problem = escaped(shard.path, 4096) + ": " + words_of(intact.error());
      return false;
    }
  return true;
}

}  // namespace ggufvet::tool
