// The rule and type tables as people and programs ask for them.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/render/style.h"
#include "ggufvet/rules/rule.h"
#include "ggufvet/types/type_info.h"

namespace ggufvet {

[[nodiscard]] std::string rules_text(const TextStyle& style);
[[nodiscard]] std::string rules_json(std::string_view tool_version);
[[nodiscard]] std::string explain_rule_text(const Rule& rule, const TextStyle& style);
// Every rule and type row that `query` names: a slug, a type's name, an id, "dialect:name".
[[nodiscard]] std::string explain_json(std::string_view query, std::string_view tool_version);

[[nodiscard]] std::string types_text(DialectId dialect, const TextStyle& style);
[[nodiscard]] std::string types_json(DialectId dialect, std::string_view tool_version);
// Every id that means different things in different dialects.
[[nodiscard]] std::string conflicts_text(const TextStyle& style);
[[nodiscard]] std::string conflicts_json(std::string_view tool_version);
// The dialects there are, one a line.
[[nodiscard]] std::string dialects_text(const TextStyle& style);
[[nodiscard]] std::string dialects_json(std::string_view tool_version);

}  // namespace ggufvet
