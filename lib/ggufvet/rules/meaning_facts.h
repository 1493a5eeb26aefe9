// What a file means, derived once when rules of the meaning stage are asked: its role, its architecture, the
// standard keys it has, which tensor of the architecture each tensor is, its vocabulary. Judges nothing.
// Memory is a few bytes for each pair, tensor and token of the file; layers are counted only as far as
// readers allow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ggufvet/rules/architectures.h"
#include "ggufvet/rules/model_facts.h"
#include "ggufvet/rules/standard_keys.h"
#include "ggufvet/rules/vocabulary_facts.h"

namespace ggufvet {

// What a file is for; decides which rules apply.
enum class FileRole : std::uint8_t {
  container,   // nothing says that it is about a model
  model,       // has tensors of a model
  vocabulary,  // has tokens and no tensors
  metadata,    // names an architecture, and has neither tokens nor tensors
  adapter,
  projector,  // the part of a multimodal model that turns images or sound into embeddings
  importance_matrix,
  control_vector,
  later_shard,  // a shard of a split set without the model's metadata
};

// The value of mainline's LLAMA_MAX_LAYERS: its per-layer arrays have this many places.
inline constexpr std::uint64_t kLayersMax = 512;

// Which tensor of an architecture a tensor is.
struct TensorPlace {
  static constexpr std::uint16_t kNoRow = 0xFFFF;
  std::uint16_t row = kNoRow;  // of Architecture::row
  TensorArea area{};
  std::uint32_t layer = 0;
};

// The rows of one layer that are there.
struct LayerPresence {
  std::array<std::uint64_t, 2> rows{};
  bool any = false;

  void add(std::uint16_t row) {
    any = true;
    if (row < 128) rows[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  [[nodiscard]] bool has(std::size_t row) const {
    return row < 128 && ((rows[row / 64] >> (row % 64)) & 1U) != 0;
  }
};

struct MeaningFacts {
  explicit MeaningFacts(const ModelFacts& facts) : model(facts), file(facts.file) {}

  const ModelFacts& model;
  const FileModel& file;
  FileRole role{};
  bool is_shard = false;               // any shard of a set of more than one: tensors may stand in another
  std::string_view architecture_name;  // empty when the file has none
  const Architecture* architecture = nullptr;  // null when it is not in the table
  std::vector<KeyId> key_of_pair;              // one for each file.pairs
  std::vector<std::uint32_t> pair_of_key;      // one for each standard key, kNoPair where the file has none
  std::vector<TensorPlace> places;             // one for each file.tensors
  std::array<std::vector<LayerPresence>, kTensorAreaCount>
      layers;  // by area and layer; the root is its layer 0
  const TensorEntry* token_embedding = nullptr;
  std::uint32_t quantised_count = 0;  // tensors of a block type
  VocabularyFacts vocabulary;

  static constexpr std::uint32_t kNoPair = 0xFFFFFFFF;

  [[nodiscard]] const MetadataPair* pair(KeyId id) const;
  // A whole number or bool, sign-extended to 64 bits; empty for anything else and when the key is not there.
  [[nodiscard]] std::optional<std::uint64_t> number(KeyId id) const;
  // The same of a key that may also be an array with one element a layer.
  [[nodiscard]] std::optional<std::uint64_t> number_at(KeyId id, std::uint64_t layer) const;
  [[nodiscard]] std::optional<double> real(KeyId id) const;
  [[nodiscard]] std::optional<bool> flag(KeyId id) const;
  [[nodiscard]] std::string_view text(KeyId id) const;  // empty when it is no string
  // What a key that is not there is blamed on: general.architecture when it is there, else the number of
  // pairs.
  [[nodiscard]] ByteRange metadata_place() const;
  // Layers that the file claims, at most kLayersMax; 0 when it does not say.
  [[nodiscard]] std::uint64_t layer_count() const;
};

// What of a value is blamed: a string's text where it has any, else the whole value.
[[nodiscard]] inline ByteRange value_place(const MetadataPair& pair) {
  return pair.is(ValueType::string) && !pair.text.empty() ? pair.text_field() : pair.value_field();
}

[[nodiscard]] MeaningFacts derive_meaning(const ModelFacts& facts);

}  // namespace ggufvet
