// Dimensions of tensors computed from hyper-parameters, layer by layer. Where a key that a dimension needs is
// missing or makes no sense, the dimension is not known, and nothing is compared with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ggufvet/rules/meaning_facts.h"

namespace ggufvet {

class ModelSizes {
 public:
  explicit ModelSizes(const MeaningFacts& facts) : facts_(facts) {}

  [[nodiscard]] std::optional<std::uint64_t> in_layer(Size size, std::uint64_t layer);

  // Whether a layer has the tensors of a set; empty when that cannot be told.
  [[nodiscard]] std::optional<bool> has(LayerSet set, std::uint64_t layer) const;

 private:
  [[nodiscard]] std::optional<std::uint64_t> compute(Size size, std::uint64_t layer) const;
  [[nodiscard]] std::optional<std::uint64_t> attention_size(Size size, std::uint64_t layer) const;
  [[nodiscard]] std::optional<std::uint64_t> latent_size(Size size) const;
  [[nodiscard]] std::optional<std::uint64_t> state_size(Size size) const;
  [[nodiscard]] std::optional<std::uint64_t> mix_size(Size size) const;
  [[nodiscard]] bool has_experts(std::uint64_t layer) const;

  struct Known {
    bool computed = false;
    std::optional<std::uint64_t> value;
  };

  const MeaningFacts& facts_;
  // Tensors of a layer mostly stand together, so the sizes of one layer are kept.
  std::uint64_t cached_layer_ = 0;
  std::array<Known, kSizeCount> cache_{};
};

// The size of one head of keys or values; empty when it does not follow from the keys.
[[nodiscard]] std::optional<std::uint64_t> key_head_size(const MeaningFacts& facts, std::uint64_t layer);
[[nodiscard]] std::optional<std::uint64_t> value_head_size(const MeaningFacts& facts, std::uint64_t layer);
[[nodiscard]] std::optional<std::uint64_t> head_count(const MeaningFacts& facts, std::uint64_t layer);
[[nodiscard]] std::optional<std::uint64_t> kv_head_count(const MeaningFacts& facts, std::uint64_t layer);

}  // namespace ggufvet
