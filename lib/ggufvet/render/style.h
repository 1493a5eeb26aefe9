// How text output looks: colours and widths on a terminal, neither when it goes elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ggufvet/rules/finding.h"
#include "ggufvet/vet/report.h"

namespace ggufvet {

struct TextStyle {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal; 0: no limit, tables are not shortened
};

enum class Ink : unsigned char { plain, bold, dim, red, yellow, green, cyan };

[[nodiscard]] std::string inked(std::string_view text, Ink ink, const TextStyle& style);
[[nodiscard]] Ink ink_of(Severity severity);
[[nodiscard]] Ink ink_of(Verdict verdict);

// Columns that `text` takes on a terminal, near enough: two for the wide characters of East Asia and for
// emoji, none for combining marks, one for everything else.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// Cut to at most `columns`, the last one an ellipsis when something was cut. 0: not cut.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);
[[nodiscard]] std::string padded_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string padded_left(std::string_view text, std::size_t columns);

// Appends `text` as lines of at most `width` columns (0: one line), cut at blanks where there are any; the
// first line is indented by `indent`, the others by `hanging`. Never ends a line with a blank.
void append_wrapped(std::string& out, std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t hanging);

// "1 byte", "1,234 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace ggufvet
