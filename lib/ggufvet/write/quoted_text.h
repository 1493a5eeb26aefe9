// Text in double quotes, as recipes and labels write it: \n \t \r \0 \\ \" \xNN and \u{H…}; anything else
// stands for itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ggufvet {

// Takes the quoted text that `rest` begins with and moves `rest` behind it; empty when it is not well formed.
[[nodiscard]] std::optional<std::string> take_quoted(std::string_view& rest);
// The other way; whatever is not printable ASCII is escaped byte by byte.
[[nodiscard]] std::string quoted(std::string_view bytes);

}  // namespace ggufvet
