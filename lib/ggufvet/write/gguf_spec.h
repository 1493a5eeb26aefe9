// What a GGUF file to be built consists of, true or false: plain data that a builder fills and build_file
// writes. Nothing here is checked against the format; saying what is wrong is what it is for. Owns
// everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/text.h"
#include "ggufvet/types/type_info.h"
#include "ggufvet/types/value_type.h"

namespace ggufvet {

using Bytes = std::vector<std::byte>;

[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

// A text and the length that is written before it: its own unless a false one is given.
struct TextSpec {
  std::string bytes;
  std::optional<std::uint64_t> length = {};

  TextSpec(std::string text = {}) : bytes(std::move(text)) {}  // NOLINT: meant to be written as a text
  TextSpec(const char* text) : bytes(text) {}                  // NOLINT
  TextSpec(std::string text, std::uint64_t false_length) : bytes(std::move(text)), length(false_length) {}
};

struct ValueSpec {
  std::uint32_t type_id = 0;
  std::uint64_t bits = 0;              // a number or bool: its bytes, zero-extended
  TextSpec text;                       // a string
  std::uint32_t element_type_id = 0;   // an array
  std::optional<std::uint64_t> count;  // an array: a false count
  std::vector<ValueSpec> elements;     // an array
  Bytes raw;  // bytes of a value, or of an array's elements, whose type does not exist
};

[[nodiscard]] ValueSpec number_value(ValueType type, std::uint64_t bits);
[[nodiscard]] ValueSpec u32_value(std::uint32_t value);
[[nodiscard]] ValueSpec string_value(TextSpec text);
// Elements must be of the type given; an array's elements must be arrays.
[[nodiscard]] ValueSpec array_value(ValueType element_type, std::vector<ValueSpec> elements);
[[nodiscard]] ValueSpec raw_value(std::uint32_t type_id, Bytes bytes);

struct PairSpec {
  TextSpec key;
  ValueSpec value;
};

struct TensorSpec {
  TextSpec name;
  std::uint32_t type_id = 0;
  std::vector<std::uint64_t> shape;     // any number of dimensions
  std::optional<std::uint32_t> rank;    // a false one
  std::optional<std::uint64_t> offset;  // the running sum of padded sizes when not given
  std::optional<std::uint64_t> bytes;   // for that sum; what type and shape give when not given
};

// Changes to the bytes once they are laid out, in order.
struct Edit {
  enum class Kind : std::uint8_t {
    patch,        // `bytes` over the beginning of the label's range, which must hold them
    append,       // `bytes` behind the end
    append_self,  // the file so far once more
    truncate,     // the file ends where the label begins
  } kind{};
  std::string label;
  Bytes bytes;
};

struct FileSpec {
  std::optional<Bytes> raw;  // the file as it is; nothing else but edits counts then
  Bytes magic = bytes_of("GGUF");
  std::uint32_t version = 3;
  bool counts_are_32_bits = false;  // the layout of version 1
  ByteOrder byte_order = ByteOrder::little;
  std::optional<std::uint64_t> tensor_count;  // false ones
  std::optional<std::uint64_t> pair_count;
  std::vector<PairSpec> pairs;
  DialectId dialect = DialectId::ggml;  // whose sizes tensors have
  std::vector<TensorSpec> tensors;
  std::optional<std::uint64_t>
      alignment;                 // for offsets and padding; what general.alignment says when not given
  std::optional<Bytes> padding;  // before the data; zeros up to the alignment when not given
  std::optional<Bytes> data;     // zeros for every tensor and its padding when not given
  std::vector<Edit> edits;
  bool labelled =
      true;  // false where nobody asks for places of pairs and tensors: they cost more than the file
};

// Padding and tensor data that nobody wrote down are written as zeros up to this size. What claims more gets
// none: a file that says 2^62 bytes must not take them.
inline constexpr std::uint64_t kAutomaticBytesMax = 8 << 20;

}  // namespace ggufvet
