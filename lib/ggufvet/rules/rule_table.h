// All rules, joined. The families are the files *_rules.cpp; a new rule is a new row in one of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ggufvet/rules/rule.h"

namespace ggufvet {

// One span for each family, rows in order of their numbers, numbers ascending over the families.
[[nodiscard]] std::span<const std::span<const Rule>> rule_families();

// Null when there is no such rule.
[[nodiscard]] const Rule* find_rule(RuleId id);
[[nodiscard]] const Rule* find_rule(std::string_view slug);
[[nodiscard]] const Rule* find_stop_rule(StopReason reason);

[[nodiscard]] std::string_view severity_name(Severity severity);
[[nodiscard]] std::string_view class_name(FindingClass kind);
[[nodiscard]] std::string_view stage_name(Stage stage);

}  // namespace ggufvet
