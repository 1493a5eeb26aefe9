// Model architectures as rows of data: which tensors a model of each has, in which layers, of which shape in
// terms of the hyper-parameters, and which keys its loader cannot do without. An architecture that is known
// by name only has no rows, and none of its tensors is judged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ggufvet/rules/key_ids.h"

namespace ggufvet {

// Where in a model a tensor stands, by its name: blk.N., enc.blk.N., dec.blk.N., or none of them.
enum class TensorArea : std::uint8_t { root, block, encoder, decoder };
inline constexpr std::size_t kTensorAreaCount = 4;

// A dimension in terms of hyper-parameters; how each is computed stands in model_sizes.cpp.
enum class Size : std::uint8_t {
  one,  // the axis is not used
  any,  // not judged
  embedding,
  vocabulary,
  context,
  token_types,
  feed_forward,
  feed_forward_twice,  // gate and up in one tensor
  experts,
  expert_feed_forward,
  expert_feed_forward_twice,
  expert_feed_forward_or_dense,  // where the same key serves both
  shared_expert_feed_forward,
  shared_experts_feed_forward,  // all shared experts side by side
  heads,
  kv_heads,
  query,  // heads * key length
  query_and_gate,
  key,
  value,
  query_key_value,
  attention_output,  // heads * value length
  key_head,
  rope_half,
  query_rank,
  query_latent,  // heads * key length of the latent attention
  kv_rank,
  kv_rank_and_rope,
  key_and_value_latent,
  attention_output_latent,
  state_kernel,
  state_inner,
  state_inner_twice,
  state_size,
  state_time_rank,
  state_time_rank_and_sizes,
  state_key_value,  // two keys and a value of linear attention, side by side
  state_value_head,
  wkv_head,
  wkv_heads,
  mix_rank,
  mix_rank_5,
  decay_rank,
  decay_lora,
  learning_lora,
  residual_lora,
  gate_lora,
  five,  // kept last
};

inline constexpr std::size_t kSizeCount = static_cast<std::size_t>(Size::five) + 1;

enum class Need : std::uint8_t { required, optional };

// The layers that have a tensor.
enum class LayerSet : std::uint8_t {
  every,
  attention,  // with attention heads
  recurrent,  // the other layers of a hybrid
  dense,      // with an ordinary feed-forward part
  mixture,    // with experts
};

struct TensorRow {
  std::string_view name{};  // behind "blk.N." where there are layers; # is a number
  Need need{};
  std::array<Size, 4> shape{Size::one, Size::one, Size::one, Size::one};
  LayerSet layers{};
  TensorArea area = TensorArea::block;
  std::string_view instead{};  // another row whose tensor makes this one needless
};

// Which layers of a model with experts have them.
enum class MixtureLayers : std::uint8_t { all, behind_leading_dense, every_nth, hybrid };

struct Architecture {
  std::string_view name{};
  bool attention_free = false;      // a head count of 0 is in order
  bool rope_is_whole_head = false;  // its loader refuses a rope dimension other than the head size
  bool encoder_decoder = false;
  MixtureLayers mixture{};
  std::array<std::span<const TensorRow>, 4> parts{};
  std::span<const KeyId> required_keys{};

  [[nodiscard]] constexpr bool has_rows() const { return !parts[0].empty(); }
  [[nodiscard]] constexpr std::size_t row_count() const {
    std::size_t count = 0;
    for (const auto& part : parts) count += part.size();
    return count;
  }
  [[nodiscard]] constexpr const TensorRow& row(std::size_t index) const {
    for (const auto& part : parts) {
      if (index < part.size()) return part[index];
      index -= part.size();
    }
    return parts[0][0];
  }
};

[[nodiscard]] std::span<const Architecture> architectures();
[[nodiscard]] const Architecture* find_architecture(std::string_view name);

// A name that some program gives to a kind of file that ggufvet has no rows for, and who does.
struct KnownName {
  std::string_view name{};
  std::string_view used_by{};
};
[[nodiscard]] const KnownName* find_known_architecture(std::string_view name);

}  // namespace ggufvet
