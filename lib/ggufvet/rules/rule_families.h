// The families as the table joins them. Internal to the rules layer.
#pragma once

#include <span>

#include "ggufvet/rules/rule.h"

namespace ggufvet {

[[nodiscard]] std::span<const Rule> structure_rules();
[[nodiscard]] std::span<const Rule> metadata_rules();
[[nodiscard]] std::span<const Rule> alignment_rules();
[[nodiscard]] std::span<const Rule> split_rules();
[[nodiscard]] std::span<const Rule> template_rules();
[[nodiscard]] std::span<const Rule> tensor_rules();
[[nodiscard]] std::span<const Rule> dialect_rules();
[[nodiscard]] std::span<const Rule> layout_rules();
[[nodiscard]] std::span<const Rule> data_rules();
[[nodiscard]] std::span<const Rule> role_rules();
[[nodiscard]] std::span<const Rule> general_rules();
[[nodiscard]] std::span<const Rule> standard_key_rules();
[[nodiscard]] std::span<const Rule> hyperparameter_rules();
[[nodiscard]] std::span<const Rule> architecture_rules();
[[nodiscard]] std::span<const Rule> tokenizer_rules();
[[nodiscard]] std::span<const Rule> special_token_rules();
[[nodiscard]] std::span<const Rule> projector_rules();
[[nodiscard]] std::span<const Rule> payload_rules();
[[nodiscard]] std::span<const Rule> limit_rules();

}  // namespace ggufvet
