#include "ggufvet/rules/model_sizes.h"

#include "ggufvet/base/checked.h"
#include "ggufvet/rules/key_ids.h"

namespace ggufvet {
namespace {

using Number = std::optional<std::uint64_t>;

[[nodiscard]] Number times(Number a, Number b) { return a && b ? checked_mul(*a, *b) : std::nullopt; }
[[nodiscard]] Number plus(Number a, Number b) { return a && b ? checked_add(*a, *b) : std::nullopt; }
[[nodiscard]] Number minus(Number a, Number b) { return a && b && *a >= *b ? Number(*a - *b) : std::nullopt; }
[[nodiscard]] Number divided(Number a, Number b) {
  return a && b && *b != 0 ? Number(*a / *b) : std::nullopt;
}
[[nodiscard]] Number first_of(Number a, Number b) { return a ? a : b; }
[[nodiscard]] Number divided_exactly(Number a, Number b) {
  return a && b && *b != 0 && *a % *b == 0 ? Number(*a / *b) : std::nullopt;
}
// Loaders read a key that is not there as 0, and 0 as "not given".
[[nodiscard]] Number nonzero(Number a) { return a && *a != 0 ? a : std::nullopt; }

}  // namespace

Number head_count(const MeaningFacts& facts, std::uint64_t layer) {
  return facts.number_at(key_id("{arch}.attention.head_count"), layer);
}

Number kv_head_count(const MeaningFacts& facts, std::uint64_t layer) {
  constexpr KeyId kKey = key_id("{arch}.attention.head_count_kv");
  return facts.pair(kKey) != nullptr ? facts.number_at(kKey, layer) : head_count(facts, layer);
}

Number key_head_size(const MeaningFacts& facts, std::uint64_t layer) {
  return first_of(facts.number(key_id("{arch}.attention.key_length")),
                  divided_exactly(facts.number(key_id("{arch}.embedding_length")), head_count(facts, layer)));
}

Number value_head_size(const MeaningFacts& facts, std::uint64_t layer) {
  return first_of(facts.number(key_id("{arch}.attention.value_length")),
                  divided_exactly(facts.number(key_id("{arch}.embedding_length")), head_count(facts, layer)));
}

Number ModelSizes::in_layer(Size size, std::uint64_t layer) {
  if (layer != cached_layer_) {
    cache_ = {};
    cached_layer_ = layer;
  }
  Known& known = cache_[static_cast<std::size_t>(size)];
  if (!known.computed) known = {true, compute(size, layer)};
  return known.value;
}

Number ModelSizes::compute(Size size, std::uint64_t layer) const {
  const auto number = [this](KeyId id) { return facts_.number(id); };
  const Number feed_forward = nonzero(facts_.number_at(key_id("{arch}.feed_forward_length"), layer));
  const Number expert_width = nonzero(number(key_id("{arch}.expert_feed_forward_length")));
  switch (size) {
    case Size::one:
      return 1;
    case Size::any:
      return std::nullopt;
    case Size::five:
      return 5;
    case Size::embedding:
      return number(key_id("{arch}.embedding_length"));
    case Size::vocabulary:
      return facts_.vocabulary.has_tokens ? Number(facts_.vocabulary.token_count) : std::nullopt;
    case Size::context:
      return number(key_id("{arch}.context_length"));
    case Size::token_types:
      return nonzero(number(key_id("tokenizer.ggml.token_type_count")));
    case Size::feed_forward:
      return feed_forward;
    case Size::feed_forward_twice:
      return times(feed_forward, 2);
    case Size::experts:
      return number(key_id("{arch}.expert_count"));
    case Size::expert_feed_forward:
      return expert_width;
    case Size::expert_feed_forward_twice:
      return times(expert_width, 2);
    case Size::expert_feed_forward_or_dense:
      return first_of(expert_width, feed_forward);
    case Size::shared_expert_feed_forward:
      return nonzero(number(key_id("{arch}.expert_shared_feed_forward_length")));
    case Size::shared_experts_feed_forward:
      return times(expert_width, number(key_id("{arch}.expert_shared_count")));
    default:
      break;
  }
  if (size <= Size::rope_half) return attention_size(size, layer);
  if (size <= Size::attention_output_latent) return latent_size(size);
  return size <= Size::state_value_head ? state_size(size) : mix_size(size);
}

Number ModelSizes::attention_size(Size size, std::uint64_t layer) const {
  const Number heads = head_count(facts_, layer);
  const Number kv_heads = kv_head_count(facts_, layer);
  const Number query = times(heads, key_head_size(facts_, layer));
  const Number key = times(kv_heads, key_head_size(facts_, layer));
  const Number value = times(kv_heads, value_head_size(facts_, layer));
  switch (size) {
    case Size::heads:
      return heads;
    case Size::kv_heads:
      return kv_heads;
    case Size::query:
      return query;
    case Size::query_and_gate:
      return times(query, 2);
    case Size::key:
      return key;
    case Size::value:
      return value;
    case Size::query_key_value:
      return plus(plus(query, key), value);
    case Size::attention_output:
      return times(heads, value_head_size(facts_, layer));
    case Size::key_head:
      return key_head_size(facts_, layer);
    case Size::rope_half:
      return divided(
          first_of(facts_.number(key_id("{arch}.rope.dimension_count")), key_head_size(facts_, layer)), 2);
    default:
      return std::nullopt;
  }
}

// Of the older form and the one split in two the keys differ: the split one has lengths of its own.
Number ModelSizes::latent_size(Size size) const {
  const auto number = [this](KeyId id) { return facts_.number(id); };
  const Number heads = head_count(facts_, 0);
  const Number key = first_of(nonzero(number(key_id("{arch}.attention.key_length_mla"))),
                              number(key_id("{arch}.attention.key_length")));
  const Number value = first_of(nonzero(number(key_id("{arch}.attention.value_length_mla"))),
                                number(key_id("{arch}.attention.value_length")));
  const Number rope = number(key_id("{arch}.rope.dimension_count"));
  const Number kv_rank = number(key_id("{arch}.attention.kv_lora_rank"));
  switch (size) {
    case Size::query_rank:
      return nonzero(number(key_id("{arch}.attention.q_lora_rank")));
    case Size::query_latent:
      return times(heads, key);
    case Size::kv_rank:
      return kv_rank;
    case Size::kv_rank_and_rope:
      return plus(kv_rank, rope);
    case Size::key_and_value_latent:
      return times(heads, plus(minus(key, rope), value));
    case Size::attention_output_latent:
      return times(heads, value);
    default:
      return std::nullopt;
  }
}

Number ModelSizes::state_size(Size size) const {
  const auto number = [this](KeyId id) { return facts_.number(id); };
  const Number inner = number(key_id("{arch}.ssm.inner_size"));
  const Number state = number(key_id("{arch}.ssm.state_size"));
  const Number rank = number(key_id("{arch}.ssm.time_step_rank"));
  const Number groups = number(key_id("{arch}.ssm.group_count"));
  switch (size) {
    case Size::state_kernel:
      return number(key_id("{arch}.ssm.conv_kernel"));
    case Size::state_inner:
      return inner;
    case Size::state_inner_twice:
      return times(inner, 2);
    case Size::state_size:
      return state;
    case Size::state_time_rank:
      return rank;
    case Size::state_time_rank_and_sizes:
      return plus(rank, times(state, 2));
    case Size::state_key_value:
      return plus(times(times(state, groups), 2), inner);
    case Size::state_value_head:
      return divided(inner, rank);
    default:
      return std::nullopt;
  }
}

Number ModelSizes::mix_size(Size size) const {
  const auto number = [this](KeyId id) { return facts_.number(id); };
  const Number head = nonzero(number(key_id("{arch}.wkv.head_size")));
  switch (size) {
    case Size::wkv_head:
      return head;
    case Size::wkv_heads:
      return divided(number(key_id("{arch}.embedding_length")), head);
    case Size::mix_rank:
      return number(key_id("{arch}.time_mix_extra_dim"));
    case Size::mix_rank_5:
      return times(number(key_id("{arch}.time_mix_extra_dim")), 5);
    case Size::decay_rank:
      return number(key_id("{arch}.time_decay_extra_dim"));
    case Size::decay_lora:
      return number(key_id("{arch}.attention.decay_lora_rank"));
    case Size::learning_lora:
      return number(key_id("{arch}.attention.iclr_lora_rank"));
    case Size::residual_lora:
      return number(key_id("{arch}.attention.value_residual_mix_lora_rank"));
    case Size::gate_lora:
      return nonzero(number(key_id("{arch}.attention.gate_lora_rank")));
    default:
      return std::nullopt;
  }
}

bool ModelSizes::has_experts(std::uint64_t layer) const {
  if (facts_.number(key_id("{arch}.expert_count")).value_or(0) == 0) return false;
  switch (facts_.architecture->mixture) {
    case MixtureLayers::behind_leading_dense:
      return layer >= facts_.number(key_id("{arch}.leading_dense_block_count")).value_or(0);
    case MixtureLayers::every_nth: {
      const std::uint64_t step = facts_.number(key_id("{arch}.interleave_moe_layer_step")).value_or(0);
      return step > 0 && (layer + 1) % step == 0;
    }
    default:
      return true;
  }
}

std::optional<bool> ModelSizes::has(LayerSet set, std::uint64_t layer) const {
  // Of Qwen's hybrids every fourth layer has attention unless the file says otherwise.
  constexpr std::uint64_t kIntervalDefault = 4;
  const bool hybrid = facts_.architecture->mixture == MixtureLayers::hybrid;
  switch (set) {
    case LayerSet::every:
      return true;
    case LayerSet::dense:
      // A per-layer width of 0 is how hybrids and pruned models leave the part out.
      if (facts_.number_at(key_id("{arch}.feed_forward_length"), layer) == Number(0)) return false;
      return !has_experts(layer);
    case LayerSet::mixture:
      return has_experts(layer);
    case LayerSet::attention:
    case LayerSet::recurrent: {
      bool attends =
          head_count(facts_, layer).value_or(1) != 0 && kv_head_count(facts_, layer).value_or(1) != 0;
      if (hybrid) {
        const std::uint64_t interval =
            facts_.number(key_id("{arch}.full_attention_interval")).value_or(kIntervalDefault);
        if (interval == 0) return std::nullopt;
        attends = (layer + 1) % interval == 0;
      }
      return attends == (set == LayerSet::attention);
    }
  }
  return std::nullopt;
}

}  // namespace ggufvet
