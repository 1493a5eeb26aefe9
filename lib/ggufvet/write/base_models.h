// Small valid models that recipes begin from, as lines of a recipe: a case then shows what it changes and
// nothing else.
#pragma once

#include <span>
#include <string_view>

namespace ggufvet {

struct BaseModel {
  std::string_view name;
  std::string_view lines;  // pair and tensor lines, or a base line and changes to it
};

[[nodiscard]] std::span<const BaseModel> base_models();
// Null when there is none of the name.
[[nodiscard]] const BaseModel* find_base_model(std::string_view name);

}  // namespace ggufvet
