#include "ggufvet/render/locate.h"

#include <algorithm>

#include "ggufvet/read/array_reader.h"
#include "ggufvet/read/cursor.h"

namespace ggufvet {
namespace {

constexpr std::size_t kKeyShownMax = 120;

[[nodiscard]] std::string indexed(std::string_view name, std::uint64_t index) {
  return std::string(name) + '[' + std::to_string(index) + ']';
}

[[nodiscard]] bool is_plain_key(std::string_view key) {
  return !key.empty() && key.size() <= kKeyShownMax && std::all_of(key.begin(), key.end(), [](char letter) {
    return letter > 0x20 && letter < 0x7F && letter != '"' && letter != '\\';
  });
}

[[nodiscard]] std::string header_field(ByteRange where) {
  if (where == Header::magic_field) return "header.magic";
  if (where == Header::version_field) return "header.version";
  if (where == Header::tensor_count_field) return "header.tensor_count";
  if (where == Header::pair_count_field) return "header.pair_count";
  return "header";
}

// The element of an array that holds `at`; empty when it cannot be told.
[[nodiscard]] std::string element_suffix(const FileModel& file, const MetadataPair& pair, ByteRange where) {
  if (pair.depth != 1 || where == pair.elements_field()) return {};
  if (pair.element_type_id != static_cast<std::uint32_t>(ValueType::string)) {
    const std::uint64_t index =
        (where.begin - pair.elements_field().begin) / smallest_value_bytes(pair.element_type_id);
    return index < pair.bits ? '[' + std::to_string(index) + ']' : std::string{};
  }
  std::string suffix;
  for_each_string(file, pair, [&](std::uint64_t index, std::string_view, ByteRange text) {
    if (where.begin >= text.end && !(where.empty() && where.begin == text.end)) return true;
    suffix = '[' + std::to_string(index) + ']';
    return false;
  });
  return suffix;
}

[[nodiscard]] std::string value_field(const FileModel& file, const MetadataPair& pair, ByteRange where) {
  if (pair.depth == 0) return ".value";
  if (where == pair.element_type_field()) return ".element_type";
  if (where == pair.count_field()) return ".count";
  if (where.begin >= pair.elements_field().begin) return ".value" + element_suffix(file, pair, where);
  return ".value";
}

[[nodiscard]] std::string pair_field(const FileModel& file, const MetadataPair& pair, ByteRange where) {
  if (where == pair.record()) return {};
  if (where == pair.key_length_field()) return ".key_length";
  if (pair.key_field().contains(where)) return ".key";
  if (where == pair.type_field()) return ".type";
  if (where.begin >= pair.value_begin) return value_field(file, pair, where);
  return {};
}

[[nodiscard]] std::string tensor_field(const TensorEntry& tensor, ByteRange where) {
  if (where == tensor.name_length_field()) return ".name_length";
  if (tensor.name_field().contains(where)) return ".name";
  if (where == tensor.rank_field()) return ".rank";
  if (where == tensor.type_field()) return ".type";
  if (where == tensor.offset_field()) return ".offset";
  for (std::uint32_t axis = 0; axis < tensor.rank; ++axis)
    if (where == tensor.dimension_field(axis)) return indexed(".shape", axis);
  if (where == tensor.shape_field()) return ".shape";
  return {};
}

// The last of the ascending records that begins at or before `at`; end() when none does.
template <class Records>
[[nodiscard]] auto record_at(const Records& records, std::uint64_t at) {
  const auto after =
      std::upper_bound(records.begin(), records.end(), at,
                       [](std::uint64_t place, const auto& record) { return place < record.begin; });
  return after == records.begin() ? records.end() : after - 1;
}

[[nodiscard]] Place locate_data(const ModelFacts& facts, ByteRange where) {
  for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
    const ByteRange data = facts.data_range(index);
    if (where.begin >= data.begin && where.begin < data.end)
      return {indexed("tensor", index) + ".data", facts.file.tensors[index].name};
  }
  const bool after_data = facts.extent_known && where.begin >= facts.data_end_padded;
  return {after_data || where.end - where.begin > kAlignmentMax ? "tail" : "padding", {}};
}

// Where a reader stopped: inside the record that would have come next. Its name stands first in it, and may
// well have been readable.
[[nodiscard]] Place locate_unread(const FileModel& file) {
  if (file.stage == ReadStage::header) return {"header", {}};
  Cursor in(file.window, file.file_bytes, file.header.byte_order);
  in.skip(file.directory_end);
  const std::string_view name = in.read_string();
  if (file.stage == ReadStage::metadata) return {indexed("metadata", file.pairs.size()), name};
  return {indexed("tensor", file.tensors.size()), name};
}

}  // namespace

std::string pair_path(const ModelFacts& facts, std::uint32_t index) {
  const std::string_view key = facts.file.pairs[index].key;
  // Ordered by `again`: with half a million of them a search for each pair must stay a short one.
  const auto again =
      std::lower_bound(facts.duplicate_keys.begin(), facts.duplicate_keys.end(), index,
                       [](const DuplicatePair& pair, std::uint32_t wanted) { return pair.again < wanted; });
  const bool repeated = again != facts.duplicate_keys.end() && again->again == index;
  if (!is_plain_key(key) || repeated) return indexed("metadata", index);
  return "metadata[\"" + std::string(key) + "\"]";
}

Place locate(const ModelFacts& facts, ByteRange where) {
  const FileModel& file = facts.file;
  if (file.stage == ReadStage::header || where.end <= kHeaderBytes) return {header_field(where), {}};
  if (where.begin < file.directory_end) {
    const auto tensor = record_at(file.tensors, where.begin);
    if (tensor != file.tensors.end())
      return {indexed("tensor", static_cast<std::uint64_t>(tensor - file.tensors.begin())) +
                  tensor_field(*tensor, where),
              tensor->name};
    const auto pair = record_at(file.pairs, where.begin);
    if (pair != file.pairs.end())
      return {pair_path(facts, static_cast<std::uint32_t>(pair - file.pairs.begin())) +
                  pair_field(file, *pair, where),
              pair->key};
  }
  if (!file.complete()) return locate_unread(file);
  return locate_data(facts, where);
}

}  // namespace ggufvet
