// FileModel: what the bytes of a GGUF file say, nonsense included, every field with its place. Strings are
// views into the window of the source the model was read from: the source must outlive the model and not be
// asked for another window. Nothing here is judged.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/byte_range.h"
#include "ggufvet/read/read_stop.h"
#include "ggufvet/read/value_sizes.h"

namespace ggufvet {

inline constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF", in this byte order whatever the rest is in
inline constexpr std::uint64_t kHeaderBytes = 24;    // magic, version, tensor count, pair count
// The smallest records there can be: an empty key with a one-byte value; an empty name with no dimensions.
inline constexpr std::uint64_t kPairBytesMin = 8 + 4 + 1;
inline constexpr std::uint64_t kTensorBytesMin = 8 + 4 + 4 + 8;
inline constexpr std::uint64_t kAlignmentDefault = 32;
// No reader follows deeper nesting: candle stops at 64 levels, Hugging Face's JavaScript at 4, mainline at 1.
inline constexpr std::uint32_t kArrayDepthMax = 64;
inline constexpr std::string_view kAlignmentKey = "general.alignment";

struct Header {
  std::uint32_t version = 0;
  ByteOrder byte_order = ByteOrder::little;
  std::uint64_t tensor_count = 0;
  std::uint64_t pair_count = 0;

  static constexpr ByteRange magic_field{0, 4};
  static constexpr ByteRange version_field{4, 8};
  static constexpr ByteRange tensor_count_field{8, 16};
  static constexpr ByteRange pair_count_field{16, 24};
};

struct MetadataPair {
  std::uint64_t begin = 0;  // of the key's length field
  std::string_view key;
  std::uint32_t type_id = 0;
  std::uint32_t element_type_id = 0;  // of an array; of the innermost array when arrays are nested
  std::uint32_t depth = 0;            // 0: not an array, 1: array, 2: array of arrays …
  // Told by the one pass that read the value, so that nobody has to walk half a million strings to learn that
  // all is well. Over all strings, or all bools, of the value.
  bool text_invalid_utf8 = false;
  bool text_has_nul = false;
  bool bool_out_of_range = false;
  std::uint64_t bits = 0;  // a number or bool as its bytes, zero-extended; an array's count (the outermost's)
  std::string_view text;   // of a string
  std::uint64_t value_begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] ByteRange record() const { return {begin, end}; }
  [[nodiscard]] ByteRange key_length_field() const { return {begin, begin + 8}; }
  [[nodiscard]] ByteRange key_field() const { return {begin + 8, begin + 8 + key.size()}; }
  [[nodiscard]] ByteRange type_field() const { return {value_begin - 4, value_begin}; }
  [[nodiscard]] ByteRange value_field() const { return {value_begin, end}; }
  // Of a string: its bytes without the length.
  [[nodiscard]] ByteRange text_field() const { return {value_begin + 8, end}; }
  // Of an array.
  [[nodiscard]] ByteRange element_type_field() const { return {value_begin, value_begin + 4}; }
  [[nodiscard]] ByteRange count_field() const { return {value_begin + 4, value_begin + 12}; }
  [[nodiscard]] ByteRange elements_field() const { return {value_begin + 12, end}; }
  [[nodiscard]] bool is(ValueType type) const { return type_id == static_cast<std::uint32_t>(type); }
};

struct TensorEntry {
  std::uint64_t begin = 0;  // of the name's length field
  std::string_view name;
  std::uint32_t rank = 0;
  std::uint32_t type_id = 0;                       // any id: judging it is a rule's job
  std::array<std::uint64_t, 4> shape{1, 1, 1, 1};  // shape[0] is the row length; missing dimensions are 1
  std::uint64_t offset = 0;                        // from the start of the data

  [[nodiscard]] ByteRange name_length_field() const { return {begin, begin + 8}; }
  [[nodiscard]] ByteRange name_field() const { return {begin + 8, begin + 8 + name.size()}; }
  [[nodiscard]] ByteRange rank_field() const { return {name_field().end, name_field().end + 4}; }
  [[nodiscard]] ByteRange shape_field() const { return {rank_field().end, rank_field().end + 8 * rank}; }
  [[nodiscard]] ByteRange dimension_field(std::uint32_t axis) const {
    return {rank_field().end + 8 * axis, rank_field().end + 8 * axis + 8};
  }
  [[nodiscard]] ByteRange type_field() const { return {shape_field().end, shape_field().end + 4}; }
  [[nodiscard]] ByteRange offset_field() const { return {type_field().end, type_field().end + 8}; }
  [[nodiscard]] ByteRange record() const { return {begin, offset_field().end}; }
};

// How far reading came.
enum class ReadStage : std::uint8_t { header, metadata, directory, done };

struct FileModel {
  std::uint64_t file_bytes = 0;
  std::span<const std::byte> window;  // the file's first bytes, at least up to directory_end
  Header header;
  std::vector<MetadataPair> pairs;
  std::vector<TensorEntry> tensors;
  ReadStage stage = ReadStage::header;
  ReadStop stop;                                // reason none when stage is done
  std::uint64_t directory_end = 0;              // just past the last record that was read
  std::optional<std::uint32_t> alignment_pair;  // index of the first general.alignment

  [[nodiscard]] bool complete() const { return stage == ReadStage::done; }
};

[[nodiscard]] const MetadataPair* find_pair(const FileModel& file, std::string_view key);

}  // namespace ggufvet
