// decode and quantize: blocks to floats and back, by the library's own decoders and reference quantisers, a
// tile at a time so that no tensor is held in memory.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "ggufvet/base/checked.h"
#include "ggufvet/base/text.h"
#include "ggufvet/types/decode_table.h"
#include "ggufvet/types/type_registry.h"
#include "inputs.h"
#include "output.h"

namespace ggufvet::tool {
namespace {

constexpr std::uint64_t kTileElements = 16384;

int rejected(const std::string& message) {
  std::fprintf(stderr, "ggufvet: %s\n", message.c_str());
  return kExitRejected;
}

// Floats as a file holds them: four bytes each, little-endian.
void write_floats(Output& output, std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  for (std::size_t index = 0; index < values.size(); ++index)
    store(bytes.data() + index * sizeof(float), std::bit_cast<std::uint32_t>(values[index]),
          ByteOrder::little);
  output.write(as_text(bytes));
}

// What is to be decoded: where it stands and in which shape.
struct Blocks {
  ByteRange range;
  std::uint64_t row_elements = 0;
  std::uint64_t rows = 0;
  ByteOrder order = ByteOrder::little;
};

class Decoding {
 public:
  Decoding(ByteSource& source, const Codec& codec, const Blocks& blocks, Output& output)
      : source_(source),
        codec_(codec),
        blocks_(blocks),
        output_(output),
        decode_(find_decoder(codec.label)) {}

  // Empty, or why it could not be done.
  [[nodiscard]] std::string run() {
    if (codec_.decode_tensor != nullptr) return whole_tensor();
    const std::uint64_t row_bytes =
        codec_.row_header_bytes + blocks_.row_elements / codec_.block_elements * codec_.block_bytes;
    for (std::uint64_t row = 0; row < blocks_.rows; ++row) {
      const std::string problem = one_row(blocks_.range.begin + row * row_bytes);
      if (!problem.empty()) return problem;
    }
    return {};
  }

 private:
  // A row's header is put before each tile of its blocks, so that a tile is a short row of its own.
  [[nodiscard]] std::string one_row(std::uint64_t begin) {
    const std::uint64_t tile =
        std::max<std::uint64_t>(kTileElements / codec_.block_elements, 1) * codec_.block_elements;
    std::uint64_t at = begin + codec_.row_header_bytes;
    for (std::uint64_t done = 0; done < blocks_.row_elements; done += tile) {
      const std::uint64_t elements = std::min(tile, blocks_.row_elements - done);
      const std::uint64_t bytes = elements / codec_.block_elements * codec_.block_bytes;
      row_.resize(static_cast<std::size_t>(codec_.row_header_bytes + bytes));
      const std::span<std::byte> row(row_);
      if (codec_.row_header_bytes > 0) {
        const auto header = source_.read(begin, row.first(codec_.row_header_bytes));
        if (!header) return words_of(header.error());
      }
      const auto body = source_.read(at, row.subspan(codec_.row_header_bytes));
      if (!body) return words_of(body.error());
      values_.resize(static_cast<std::size_t>(elements));
      decode_(row_.data(), elements, blocks_.order, values_.data());
      write_floats(output_, values_);
      at += bytes;
    }
    return {};
  }

  // Types with one scale behind all codes are small (two bits a weight) and are decoded in one piece.
  [[nodiscard]] std::string whole_tensor() {
    if (codec_.shape_fits != nullptr && !codec_.shape_fits(blocks_.row_elements, blocks_.rows))
      return "the shape does not suit the type's order of elements";
    row_.resize(static_cast<std::size_t>(blocks_.range.size()));
    const auto read = source_.read(blocks_.range.begin, row_);
    if (!read) return words_of(read.error());
    values_.resize(static_cast<std::size_t>(blocks_.row_elements * blocks_.rows));
    codec_.decode_tensor(row_.data(), blocks_.row_elements, blocks_.rows, blocks_.order, values_.data());
    write_floats(output_, values_);
    return {};
  }

  ByteSource& source_;
  const Codec& codec_;
  const Blocks& blocks_;
  Output& output_;
  DecodeRow decode_;
  std::vector<std::byte> row_;
  std::vector<float> values_;
};

// The header of a NumPy array file, format 1.0; dimensions slowest first, as NumPy counts them.
[[nodiscard]] std::string npy_header(const std::vector<std::uint64_t>& dimensions) {
  std::string shape;
  for (const std::uint64_t dimension : dimensions) shape += fmt::format("{},", dimension);
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  constexpr std::size_t kPreambleBytes = 10;
  constexpr std::size_t kAlignment = 64;
  text.append(kAlignment - (kPreambleBytes + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

[[nodiscard]] std::string no_decoder(const TypeInfo& type) {
  return fmt::format("there is no decoder for {} ({} in {})", type.name, type.layout->label,
                     dialect(type.dialect).slug);
}

[[nodiscard]] bool can_decode(const Codec* codec) {
  return codec != nullptr && (codec->decode != nullptr || codec->decode_tensor != nullptr);
}

[[nodiscard]] int write_decoded(ByteSource& source, const Codec& codec, const Blocks& blocks,
                                const std::vector<std::uint64_t>& dimensions, const DecodeOptions& options) {
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  if (options.output.ends_with(".npy")) output.write(npy_header(dimensions));
  const std::string problem = Decoding(source, codec, blocks, output).run();
  if (!problem.empty()) return world_error(problem);
  return output.finish() ? kExitAccepted : world_error(output.problem());
}

[[nodiscard]] std::optional<std::uint32_t> find_tensor(const FileModel& file, const std::string& name) {
  for (std::uint32_t index = 0; index < file.tensors.size(); ++index)
    if (file.tensors[index].name == name) return index;
  return std::nullopt;
}

[[nodiscard]] int decode_from_file(const DecodeOptions& options) {
  const OpenedSource opened = open_input(options.input);
  if (!opened.source) return world_error(escaped(options.input) + ": " + opened.problem);
  const auto vetted = vet(*opened.source, {.dialect = options.dialect});
  const auto index = find_tensor(vetted->file, options.tensor);
  if (!index)
    return usage_error(
        fmt::format("{} has no tensor \"{}\"", escaped(options.input), escaped(options.tensor)));
  const TensorEntry& entry = vetted->file.tensors[*index];
  const TensorFacts& facts = vetted->facts.tensors[*index];
  const ByteRange data = vetted->facts.data_range(*index);
  if (facts.size_problem != SizeProblem::none || !vetted->facts.data_begin || facts.end_overflows ||
      data.end > vetted->file.file_bytes || facts.offset_problem == OffsetProblem::rows_short)
    return rejected(fmt::format("the data of tensor \"{}\" cannot be read; `ggufvet check` says why",
                                escaped(options.tensor)));
  const Codec* const codec = find_codec(facts.type->layout->label);
  if (!can_decode(codec)) return rejected(no_decoder(*facts.type));
  const Blocks blocks{data, entry.shape[0], entry.shape[1] * entry.shape[2] * entry.shape[3],
                      vetted->file.header.byte_order};
  std::vector<std::uint64_t> dimensions(entry.shape.begin(), entry.shape.begin() + entry.rank);
  std::reverse(dimensions.begin(), dimensions.end());
  return write_decoded(*opened.source, *codec, blocks, dimensions, options);
}

// The type a user names, or null after a one-line error.
[[nodiscard]] const TypeInfo* named_type(const std::string& name, std::optional<DialectId> dialect_id) {
  const DialectId id = dialect_id.value_or(DialectId::ggml);
  const TypeInfo* const type = find_type(id, name);
  if (type == nullptr)
    usage_error(fmt::format("{} has no type \"{}\"; `ggufvet types --dialect {}` lists them",
                            dialect(id).slug, escaped(name), dialect(id).slug));
  return type;
}

// How many rows of `row_elements` the bytes hold; without a row length they are one row.
[[nodiscard]] std::optional<Blocks> shape_of(const Codec& codec, std::uint64_t bytes,
                                             std::uint64_t row_elements) {
  if (codec.decode_tensor != nullptr) {
    constexpr std::uint64_t kTrailerBytes = 32;
    if (bytes < kTrailerBytes) return std::nullopt;
    const std::uint64_t elements = (bytes - kTrailerBytes) * 4;
    const std::uint64_t row = row_elements == 0 ? elements : row_elements;
    if (row == 0 || elements % row != 0) return std::nullopt;
    return Blocks{{0, bytes}, row, elements / row, ByteOrder::little};
  }
  if (row_elements == 0) {
    if (bytes < codec.row_header_bytes || (bytes - codec.row_header_bytes) % codec.block_bytes != 0)
      return std::nullopt;
    return Blocks{{0, bytes},
                  (bytes - codec.row_header_bytes) / codec.block_bytes * codec.block_elements,
                  1,
                  ByteOrder::little};
  }
  const auto blocks = blocks_exact(row_elements, codec.block_elements);
  const auto row_bytes = blocks ? checked_mul(*blocks, codec.block_bytes) : std::nullopt;
  if (!row_bytes || *row_bytes > bytes) return std::nullopt;
  const std::uint64_t with_header = *row_bytes + codec.row_header_bytes;
  if (bytes % with_header != 0) return std::nullopt;
  return Blocks{{0, bytes}, row_elements, bytes / with_header, ByteOrder::little};
}

[[nodiscard]] int decode_blocks(const DecodeOptions& options) {
  const TypeInfo* const type = named_type(options.type, options.dialect);
  if (type == nullptr) return kExitUsage;
  const Codec* const codec = find_codec(type->layout->label);
  if (!can_decode(codec)) return usage_error(no_decoder(*type));
  const OpenedSource opened = open_input(options.input);
  if (!opened.source) return world_error(escaped(options.input) + ": " + opened.problem);
  const auto blocks = shape_of(*codec, opened.source->size(), options.row_elements);
  if (!blocks)
    return rejected(fmt::format("{} bytes are not whole rows of {}: {} elements take {} bytes{}",
                                opened.source->size(), type->name, codec->block_elements, codec->block_bytes,
                                codec->row_header_bytes > 0
                                    ? fmt::format(" after {} bytes before each row", codec->row_header_bytes)
                                    : ""));
  std::vector<std::uint64_t> dimensions{blocks->row_elements};
  if (blocks->rows != 1) dimensions.insert(dimensions.begin(), blocks->rows);
  return write_decoded(*opened.source, *codec, *blocks, dimensions, options);
}

[[nodiscard]] std::string quantize_all(ByteSource& source, const Codec& codec, Output& output) {
  const std::uint64_t tile =
      std::max<std::uint64_t>(kTileElements / codec.block_elements, 1) * codec.block_elements;
  const std::uint64_t elements = source.size() / sizeof(float);
  std::vector<std::byte> raw;
  std::vector<float> values;
  std::vector<std::byte> blocks;
  for (std::uint64_t done = 0; done < elements; done += tile) {
    const auto count = static_cast<std::size_t>(std::min(tile, elements - done));
    raw.resize(count * sizeof(float));
    values.resize(count);
    blocks.resize(count / codec.block_elements * codec.block_bytes);
    const auto read = source.read(done * sizeof(float), raw);
    if (!read) return words_of(read.error());
    for (std::size_t index = 0; index < count; ++index)
      values[index] = std::bit_cast<float>(load_little<std::uint32_t>(raw.data() + index * sizeof(float)));
    codec.quantize(values.data(), count, blocks.data());
    output.write(as_text(blocks));
  }
  return {};
}

}  // namespace

int run_decode(const DecodeOptions& options) {
  if (options.type.empty()) {
    if (options.tensor.empty())
      return usage_error(
          "name a tensor (decode FILE TENSOR -o OUT) or a type (decode --type T BLOCKS -o OUT)");
    return decode_from_file(options);
  }
  if (!options.tensor.empty()) return usage_error("with --type there is one input, a file of blocks");
  return decode_blocks(options);
}

int run_quantize(const DecodeOptions& options) {
  const TypeInfo* const type = named_type(options.type, options.dialect);
  if (type == nullptr) return kExitUsage;
  const Codec* const codec = find_codec(type->layout->label);
  if (codec == nullptr || codec->quantize == nullptr)
    return usage_error(fmt::format("there is no reference quantiser for {}", type->name));
  const OpenedSource opened = open_input(options.input);
  if (!opened.source) return world_error(escaped(options.input) + ": " + opened.problem);
  const std::uint64_t bytes = opened.source->size();
  if (bytes % sizeof(float) != 0 || bytes / sizeof(float) % codec->block_elements != 0)
    return rejected(fmt::format("{} bytes are not a multiple of {} floats, the block of {}", bytes,
                                codec->block_elements, type->name));
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  const std::string problem = quantize_all(*opened.source, *codec, output);
  if (!problem.empty()) return world_error(problem);
  return output.finish() ? kExitAccepted : world_error(output.problem());
}

}  // namespace ggufvet::tool
