#include "ggufvet/render/style.h"

#include <array>

#include "ggufvet/base/text.h"

namespace ggufvet {

std::string inked(std::string_view text, Ink ink, const TextStyle& style) {
  constexpr std::array<std::string_view, 7> kCodes{"",         "\x1b[1m",  "\x1b[2m", "\x1b[31m",
                                                   "\x1b[33m", "\x1b[32m", "\x1b[36m"};
  if (!style.colour || ink == Ink::plain) return std::string(text);
  return std::string(kCodes[static_cast<std::size_t>(ink)]) + std::string(text) + "\x1b[0m";
}

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return Ink::red;
    case Severity::warning:
      return Ink::yellow;
    default:
      return Ink::cyan;
  }
}

Ink ink_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::accept:
      return Ink::green;
    case Verdict::reject:
      return Ink::red;
    default:
      return Ink::yellow;
  }
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char letter : text) columns += (static_cast<unsigned char>(letter) & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

std::string fitted(std::string_view text, std::size_t columns) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  std::size_t at = 0;
  for (std::size_t shown = 0; shown + 1 < columns && at < text.size(); ++shown)
    static_cast<void>(next_code_point(text, at));
  return std::string(text.substr(0, at)) + "…";
}

std::string padded_right(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(text) + std::string(taken < columns ? columns - taken : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(taken < columns ? columns - taken : 0, ' ') + std::string(text);
}

}  // namespace ggufvet
