// verify: whether files still have the digests of a manifest, and which tensors do not.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "ggufvet/base/text.h"
#include "ggufvet/render/message.h"
#include "hashing.h"
#include "manifest.h"
#include "output.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

using Json = nlohmann::ordered_json;

enum class Agreement : std::uint8_t { same, different, missing };

struct Result {
  const ManifestEntry* entry = nullptr;
  Agreement agreement{};
  std::string actual;
};

// Standard input or a file, up to a size no manifest has.
[[nodiscard]] bool read_manifest(const std::string& path, std::string& text, std::string& problem) {
  constexpr std::uint64_t kBytesMax = 1 << 30;
  const OpenedSource opened = open_input(path);
  if (!opened.source) {
    problem = opened.problem;
    return false;
  }
  if (opened.source->size() > kBytesMax) {
    problem = "too long for a manifest";
    return false;
  }
  text.resize(static_cast<std::size_t>(opened.source->size()));
  if (const auto done = opened.source->read(0, std::as_writable_bytes(std::span(text))); !done) {
    problem = words_of(done.error());
    return false;
  }
  return true;
}

void compare(const ManifestEntry& entry, const HexDigests* digests, std::vector<Result>& results) {
  const auto found = digests == nullptr ? HexDigests::const_iterator{} : digests->find(entry.algorithm);
  if (digests == nullptr || found == digests->end())
    results.push_back({&entry, Agreement::missing, {}});
  else
    results.push_back({&entry, found->second == entry.hex ? Agreement::same : Agreement::different, found->second});
}

// The entries of one model, which may be a set. False with `problem` set when it cannot be read.
class ModelVerifier {
 public:
  ModelVerifier(const VerifyOptions& options, std::string path) : options_(options), path_(std::move(path)) {}

  [[nodiscard]] bool verify(const std::vector<const ManifestEntry*>& entries, std::vector<Result>& results,
                            std::string& problem) {
    HashWish wish{.algorithms = {}, .tensors = false, .jobs = options_.jobs};
    for (const ManifestEntry* const entry : entries) {
      if (entry->whole_file) continue;
      wish.tensors |= !entry->tensor.empty();
      if (std::find(wish.algorithms.begin(), wish.algorithms.end(), entry->algorithm) == wish.algorithms.end())
        wish.algorithms.push_back(entry->algorithm);
    }
    if (!wish.algorithms.empty() && !hash(wish, problem)) return false;
    for (const ManifestEntry* const entry : entries) {
      if (!entry->whole_file) {
        compare(*entry, find(*entry), results);
        continue;
      }
      std::string digest;
      const std::string& file = options_.file.empty() ? entry->path : options_.file;
      if (!hash_file(file, entry->algorithm, digest, problem)) {
        problem = escaped(file, 4096) + ": " + problem;
        return false;
      }
      const HexDigests of_file{{entry->algorithm, digest}};
      compare(*entry, &of_file, results);
    }
    return true;
  }

 private:
  [[nodiscard]] bool hash(const HashWish& wish, std::string& problem) {
    const OpenModel model = open_model(path_, options_.vet, options_.alone);
    if (!model.ok()) {
      problem = model.problem;
      return false;
    }
    ProgressBar progress(path_);
    if (!hash_model(model, wish, progress, digests_, problem)) return false;
    for (const TensorDigests& tensor : digests_.tensors) tensors_[tensor.name] = &tensor;
    return true;
  }

  [[nodiscard]] const HexDigests* find(const ManifestEntry& entry) const {
    if (!entry.tensor.empty()) {
      const auto tensor = tensors_.find(entry.tensor);
      return tensor == tensors_.end() ? nullptr : &tensor->second->digests;
    }
    const auto shard = shard_index(entry.path);
    return shard && *shard < digests_.shards.size() ? &digests_.shards[*shard] : &digests_.model;
  }

  const VerifyOptions& options_;
  std::string path_;
  ModelDigests digests_;
  std::map<std::string, const TensorDigests*, std::less<>> tensors_;
};

[[nodiscard]] std::string_view word_of(Agreement agreement) {
  constexpr std::array<std::string_view, 3> kWords{"same", "different", "missing"};
  return kWords[static_cast<std::size_t>(agreement)];
}

[[nodiscard]] std::string name_of(const ManifestEntry& entry) {
  const std::string name = escaped(entry.path, 4096);
  return entry.tensor.empty() ? name : name + ':' + escaped(entry.tensor, 256);
}

void write_text(Output& output, const std::vector<Result>& results, const Manifest& manifest) {
  std::size_t same = 0;
  for (const Result& result : results) {
    if (result.agreement == Agreement::same) {
      ++same;
      continue;
    }
    output.write(fmt::format("{}: {} {}", name_of(*result.entry), algorithm_name(result.entry->algorithm),
                             word_of(result.agreement)));
    if (result.agreement == Agreement::different)
      output.write(fmt::format(" (manifest {}, file {})", escaped(result.entry->hex, 64), result.actual));
    output.write("\n");
  }
  output.write(fmt::format("{} of {} digests agree\n", with_separators(same), with_separators(results.size())));
  if (manifest.lines_not_understood > 0)
    output.write(fmt::format("{} lines of the manifest were not understood\n", with_separators(manifest.lines_not_understood)));
}

void write_json(Output& output, const std::vector<Result>& results, const Manifest& manifest) {
  Json list = Json::array();
  for (const Result& result : results) {
    Json row{{"path", result.entry->path}};
    if (!result.entry->tensor.empty()) row["tensor"] = result.entry->tensor;
    row["algorithm"] = algorithm_name(result.entry->algorithm);
    row["of"] = result.entry->whole_file ? "file" : result.entry->tensor.empty() ? "model" : "tensor";
    row["result"] = word_of(result.agreement);
    row["manifest"] = result.entry->hex;
    if (!result.actual.empty()) row["actual"] = result.actual;
    list.push_back(std::move(row));
  }
  const Json json{{"schema", "ggufvet.verify/1"},
                  {"tool", {{"name", "ggufvet"}, {"version", GGUFVET_VERSION}}},
                  {"results", std::move(list)},
                  {"lines_not_understood", manifest.lines_not_understood}};
  output.write(json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n');
}

[[nodiscard]] bool verify_all(const VerifyOptions& options, const Manifest& manifest, std::vector<Result>& results,
                              std::string& problem) {
  // By model: a set goes by a path that no file has, so one of its shards stands for it.
  struct Group {
    std::string file;
    std::vector<const ManifestEntry*> entries;
  };
  std::map<std::string, Group> models;
  for (const ManifestEntry& entry : manifest.entries) {
    const std::string name = options.alone ? entry.path : model_path(entry.path);
    Group& group = models[name];
    if (group.file.empty() || entry.path != name) group.file = entry.path;
    group.entries.push_back(&entry);
  }
  if (!options.file.empty() && models.size() > 1) {
    problem = "the manifest speaks of several models; which of them \"" + escaped(options.file, 400) +
              "\" is cannot be told";
    return false;
  }
  for (const auto& [name, group] : models) {
    ModelVerifier verifier(options, options.file.empty() ? group.file : options.file);
    if (!verifier.verify(group.entries, results, problem)) return false;
  }
  return true;
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  static_cast<void>(interrupt_flag());
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  std::string text, problem;
  if (!read_manifest(options.manifest, text, problem))
    return world_error(escaped(options.manifest, 4096) + ": " + problem);
  const Manifest manifest = parse_manifest(text);
  if (manifest.entries.empty()) return world_error(escaped(options.manifest, 4096) + ": no line of it is a digest");
  std::vector<Result> results;
  if (!verify_all(options, manifest, results, problem)) return world_error(problem);
  if (options.format == "json")
    write_json(output, results, manifest);
  else
    write_text(output, results, manifest);
  if (!output.finish()) return world_error(output.problem());
  const bool all_same = std::all_of(results.begin(), results.end(),
                                    [](const Result& result) { return result.agreement == Agreement::same; });
  return all_same ? kExitAccepted : kExitRejected;
}

}  // namespace ggufvet::tool
