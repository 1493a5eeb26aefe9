#include "ggufvet/rules/rule_table.h"

#include <array>

#include "ggufvet/rules/rule_families.h"

namespace ggufvet {

std::span<const std::span<const Rule>> rule_families() {
  static const std::array families{
      structure_rules(), metadata_rules(),      alignment_rules(),      tensor_rules(),
      layout_rules(),    data_rules(),          dialect_rules(),        role_rules(),
      general_rules(),   standard_key_rules(),  hyperparameter_rules(), architecture_rules(),
      tokenizer_rules(), special_token_rules(), projector_rules(),      split_rules(),
      template_rules(),  payload_rules(),       limit_rules()};
  return families;
}

const Rule* find_rule(RuleId id) {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family)
      if (rule.id == id) return &rule;
  return nullptr;
}

const Rule* find_rule(std::string_view slug) {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family)
      if (rule.slug == slug) return &rule;
  return nullptr;
}

const Rule* find_stop_rule(StopReason reason) {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family)
      if (rule.stop == reason && reason != StopReason::none) return &rule;
  return nullptr;
}

std::string_view severity_name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames{"off", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view class_name(FindingClass kind) {
  constexpr std::array<std::string_view, 4> kNames{"malformed", "invalid", "limit", "io"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, 6> kNames{"structure", "metadata", "meaning",
                                                   "directory", "layout",   "data"};
  return kNames[static_cast<std::size_t>(stage)];
}

}  // namespace ggufvet
