#include "ggufvet/rules/meaning_facts.h"

#include <algorithm>
#include <bit>

#include "ggufvet/read/cursor.h"
#include "ggufvet/rules/key_ids.h"

namespace ggufvet {
namespace {

// What `bits` of a scalar type mean as a whole number; empty for floats, strings and arrays.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::uint32_t type_id, std::uint64_t bits) {
  const auto extended = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  switch (static_cast<ValueType>(type_id)) {
    case ValueType::u8:
    case ValueType::u16:
    case ValueType::u32:
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::boolean:
      return bits;
    case ValueType::i8:
      return extended(static_cast<std::int8_t>(bits));
    case ValueType::i16:
      return extended(static_cast<std::int16_t>(bits));
    case ValueType::i32:
      return extended(static_cast<std::int32_t>(bits));
    default:
      return std::nullopt;
  }
}

void look_up_keys(MeaningFacts& facts) {
  facts.pair_of_key.assign(kStandardKeyCount, MeaningFacts::kNoPair);
  facts.key_of_pair.reserve(facts.file.pairs.size());
  for (std::uint32_t index = 0; index < facts.file.pairs.size(); ++index) {
    const KeyId id = find_standard_key(facts.file.pairs[index].key, facts.architecture_name);
    facts.key_of_pair.push_back(id);
    if (id == KeyId::none) continue;
    std::uint32_t& first = facts.pair_of_key[static_cast<std::size_t>(id)];
    if (first == MeaningFacts::kNoPair) first = index;
  }
}

struct NameParts {
  TensorArea area = TensorArea::root;
  std::uint32_t layer = 0;
  std::string_view rest;
};

// "blk.12.attn_q.weight" -> block, 12, "attn_q.weight". A number that could be written otherwise is none.
[[nodiscard]] NameParts split_name(std::string_view name) {
  struct Head {
    std::string_view text;
    TensorArea area;
  };
  constexpr std::array<Head, 3> kHeads{
      {{"blk.", TensorArea::block}, {"enc.blk.", TensorArea::encoder}, {"dec.blk.", TensorArea::decoder}}};
  constexpr std::size_t kDigitsMax = 9;
  for (const Head& head : kHeads) {
    if (!name.starts_with(head.text)) continue;
    const std::string_view rest = name.substr(head.text.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const bool is_number = digits > 0 && digits <= kDigitsMax && (digits == 1 || rest[0] != '0');
    if (!is_number || digits + 1 >= rest.size() || rest[digits] != '.') break;
    std::uint32_t layer = 0;
    for (const char digit : rest.substr(0, digits))
      layer = layer * 10 + static_cast<std::uint32_t>(digit - '0');
    return {head.area, layer, rest.substr(digits + 1)};
  }
  return {TensorArea::root, 0, name};
}

// # in a row's name is a number.
[[nodiscard]] bool matches(std::string_view row_name, std::string_view name) {
  const std::size_t mark = row_name.find('#');
  if (mark == std::string_view::npos) return row_name == name;
  const std::string_view tail = row_name.substr(mark + 1);
  if (name.size() <= row_name.size() - 1 || !name.starts_with(row_name.substr(0, mark)) ||
      !name.ends_with(tail))
    return false;
  const std::string_view digits = name.substr(mark, name.size() - mark - tail.size());
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// Writers keep the order of rows more or less, so the search begins behind the last hit.
class RowFinder {
 public:
  explicit RowFinder(const Architecture& architecture) {
    for (const auto& part : architecture.parts)
      for (const TensorRow& row : part) rows_.push_back(&row);
  }

  [[nodiscard]] std::uint16_t find(TensorArea area, std::string_view name) {
    for (std::size_t step = 0; step < rows_.size(); ++step) {
      const std::size_t at = (next_ + step) % rows_.size();
      if (rows_[at]->area != area || !matches(rows_[at]->name, name)) continue;
      next_ = at + 1;
      return static_cast<std::uint16_t>(at);
    }
    return TensorPlace::kNoRow;
  }

 private:
  std::vector<const TensorRow*> rows_;
  std::size_t next_ = 0;
};

void place_tensors(MeaningFacts& facts) {
  std::optional<RowFinder> rows;
  if (facts.architecture != nullptr) rows.emplace(*facts.architecture);
  facts.places.reserve(facts.file.tensors.size());
  for (const TensorEntry& tensor : facts.file.tensors) {
    const NameParts parts = split_name(tensor.name);
    TensorPlace place{.area = parts.area, .layer = parts.layer};
    if (rows) place.row = rows->find(parts.area, parts.rest);
    facts.places.push_back(place);
    if (tensor.name == "token_embd.weight") facts.token_embedding = &tensor;
    if (place.layer >= kLayersMax) continue;
    auto& layers = facts.layers[static_cast<std::size_t>(place.area)];
    if (layers.size() <= place.layer) layers.resize(place.layer + 1);
    layers[place.layer].add(place.row);
  }
}

void count_quantised(MeaningFacts& facts) {
  for (const TensorFacts& tensor : facts.model.tensors)
    if (tensor.type != nullptr && tensor.type->layout->block_elements > 1) ++facts.quantised_count;
}

[[nodiscard]] bool any_name(const FileModel& file, bool (*is_wanted)(std::string_view)) {
  return std::any_of(file.tensors.begin(), file.tensors.end(),
                     [is_wanted](const TensorEntry& tensor) { return is_wanted(tensor.name); });
}

// A file without an architecture that all the same speaks of a model.
[[nodiscard]] bool speaks_of_model(const MeaningFacts& facts) {
  const auto names_model = [](std::string_view name) {
    return name.starts_with("blk.") || name == "token_embd.weight" || name == "output_norm.weight";
  };
  const auto is_of_model = [](const MetadataPair& pair) {
    return pair.key.starts_with("tokenizer.") || pair.key == "general.type" ||
           pair.key == "general.file_type" || pair.key == "general.quantization_version";
  };
  return std::any_of(facts.file.pairs.begin(), facts.file.pairs.end(), is_of_model) ||
         any_name(facts.file, names_model);
}

// What the file says of itself, as far as it is known.
[[nodiscard]] std::optional<FileRole> stated_role(const MeaningFacts& facts) {
  const std::string_view type = facts.text(key_id("general.type"));
  if (type == "adapter") return FileRole::adapter;
  if (type == "mmproj" || facts.architecture_name == "clip") return FileRole::projector;
  if (type == "imatrix") return FileRole::importance_matrix;
  if (facts.architecture_name == "controlvector") return FileRole::control_vector;
  return std::nullopt;
}

[[nodiscard]] FileRole role_of(const MeaningFacts& facts) {
  const std::uint64_t shard = facts.number(key_id("split.no")).value_or(0);
  if (facts.is_shard && shard > 0) return FileRole::later_shard;
  if (const auto stated = stated_role(facts)) return *stated;
  const auto is_adapter_name = [](std::string_view name) { return name.ends_with(".lora_a"); };
  if (any_name(facts.file, is_adapter_name)) return FileRole::adapter;
  if (facts.architecture_name.empty() && !speaks_of_model(facts)) return FileRole::container;
  if (!facts.file.tensors.empty()) return FileRole::model;
  return facts.vocabulary.pairs.tokens != nullptr ? FileRole::vocabulary : FileRole::metadata;
}

}  // namespace

std::optional<std::uint64_t> integer_element(const FileModel& file, const MetadataPair& pair,
                                             std::uint64_t index) {
  if (pair.depth != 1 || index >= pair.bits) return std::nullopt;
  const std::uint64_t bytes = smallest_value_bytes(pair.element_type_id);
  Cursor in(file.window, file.file_bytes, file.header.byte_order);
  in.skip(pair.elements_field().begin + index * bytes);
  std::uint64_t bits = 0;
  if (bytes == 1) bits = in.read<std::uint8_t>();
  if (bytes == 2) bits = in.read<std::uint16_t>();
  if (bytes == 4) bits = in.read<std::uint32_t>();
  if (bytes == 8) bits = in.read<std::uint64_t>();
  return in.ok() ? whole_number(pair.element_type_id, bits) : std::nullopt;
}

const MetadataPair* MeaningFacts::pair(KeyId id) const {
  const std::uint32_t index = pair_of_key[static_cast<std::size_t>(id)];
  return index == kNoPair ? nullptr : &file.pairs[index];
}

std::optional<std::uint64_t> MeaningFacts::number(KeyId id) const {
  const MetadataPair* const found = pair(id);
  return found != nullptr ? whole_number(found->type_id, found->bits) : std::nullopt;
}

std::optional<std::uint64_t> MeaningFacts::number_at(KeyId id, std::uint64_t layer) const {
  const MetadataPair* const found = pair(id);
  if (found == nullptr) return std::nullopt;
  return found->depth == 0 ? whole_number(found->type_id, found->bits) : integer_element(file, *found, layer);
}

std::optional<double> MeaningFacts::real(KeyId id) const {
  const MetadataPair* const found = pair(id);
  if (found == nullptr) return std::nullopt;
  if (found->is(ValueType::f32)) return std::bit_cast<float>(static_cast<std::uint32_t>(found->bits));
  if (found->is(ValueType::f64)) return std::bit_cast<double>(found->bits);
  return std::nullopt;
}

std::optional<bool> MeaningFacts::flag(KeyId id) const {
  const MetadataPair* const found = pair(id);
  if (found == nullptr || !found->is(ValueType::boolean)) return std::nullopt;
  return found->bits != 0;
}

std::string_view MeaningFacts::text(KeyId id) const {
  const MetadataPair* const found = pair(id);
  return found != nullptr && found->is(ValueType::string) ? found->text : std::string_view{};
}

ByteRange MeaningFacts::metadata_place() const {
  const MetadataPair* const found = pair(key_id("general.architecture"));
  return found != nullptr ? found->record() : Header::pair_count_field;
}

std::uint64_t MeaningFacts::layer_count() const {
  return std::min(number(key_id("{arch}.block_count")).value_or(0), kLayersMax);
}

MeaningFacts derive_meaning(const ModelFacts& model) {
  MeaningFacts facts(model);
  if (const MetadataPair* const pair = find_pair(model.file, "general.architecture");
      pair != nullptr && pair->is(ValueType::string))
    facts.architecture_name = pair->text;
  facts.architecture = find_architecture(facts.architecture_name);
  look_up_keys(facts);
  facts.is_shard = facts.number(key_id("split.count")).value_or(0) > 1;
  facts.vocabulary =
      derive_vocabulary(model.file, {.model = facts.pair(key_id("tokenizer.ggml.model")),
                                     .tokens = facts.pair(key_id("tokenizer.ggml.tokens")),
                                     .scores = facts.pair(key_id("tokenizer.ggml.scores")),
                                     .types = facts.pair(key_id("tokenizer.ggml.token_type")),
                                     .merges = facts.pair(key_id("tokenizer.ggml.merges")),
                                     .charsmap = facts.pair(key_id("tokenizer.ggml.precompiled_charsmap"))});
  facts.role = role_of(facts);
  place_tensors(facts);
  count_quantised(facts);
  return facts;
}

}  // namespace ggufvet
