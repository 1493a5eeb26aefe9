// Metadata values as recipes write them: a type and what it holds.
#pragma once

#include "ggufvet/write/recipe_scanner.h"

namespace ggufvet {

// TYPE VALUE, where TYPE is u8 … f64, bool, string, array:TYPE, nest:N:TYPE (N arrays of one element around a
// value) or type:N for a number that is no type, whose value is bytes.
[[nodiscard]] ValueSpec scan_value(RecipeScanner& in);

}  // namespace ggufvet
