// TYPES.md, generated from the tables: never edited by hand, and a test fails when the committed file
// differs.
#pragma once

#include <string>

namespace ggufvet {

[[nodiscard]] std::string types_markdown();

}  // namespace ggufvet
