#include "ggufvet/render/style.h"

#include <algorithm>
#include <array>

#include "ggufvet/base/text.h"
#include "ggufvet/render/message.h"

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

namespace {

struct CodePoints {
  std::uint32_t first, last;
};

template <std::size_t kCount>
[[nodiscard]] bool is_among(std::uint32_t code_point, const std::array<CodePoints, kCount>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [code_point](const CodePoints& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

// Whole blocks of Unicode whose characters terminals draw two columns wide, and the blocks of combining
// marks.
[[nodiscard]] std::size_t columns_of_code_point(std::uint32_t code_point) {
  constexpr std::array<CodePoints, 12> kWide{{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0xA4CF},
                                              {0xA960, 0xA97F},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1F64F},
                                              {0x1F680, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
  constexpr std::array<CodePoints, 5> kCombining{
      {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  if (code_point < 0x300) return 1;
  if (is_among(code_point, kCombining)) return 0;
  return is_among(code_point, kWide) ? 2 : 1;
}

// The longest beginning of `text` that takes at most `columns`, in bytes.
[[nodiscard]] std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  std::size_t taken = 0;
  while (at < text.size()) {
    std::size_t next = at;
    taken += columns_of_code_point(next_code_point(text, next));
    if (taken > columns) break;
    at = next;
  }
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += columns_of_code_point(next_code_point(text, at));
  return columns;
}

std::string fitted(std::string_view text, std::size_t columns) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  return std::string(text.substr(0, bytes_within(text, columns - 1))) + "…";
}

void append_wrapped(std::string& out, std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t hanging) {
  constexpr std::size_t kRoomMin =
      16;  // on a terminal narrower than the indentation something must still be said
  while (!text.empty()) {
    const std::size_t room = std::max(width > indent ? width - indent : 0, kRoomMin);
    std::size_t cut = width == 0 ? text.size() : bytes_within(text, room);
    std::size_t skipped = 0;
    if (cut < text.size()) {
      const std::size_t blank = text.rfind(' ', cut);
      if (blank != std::string_view::npos && blank > 0) {
        cut = blank;
        skipped = 1;
      }
    }
    out += std::string(indent, ' ');
    out += text.substr(0, cut);
    out += '\n';
    text = text.substr(cut + skipped);
    indent = hanging;
  }
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return with_separators(count) + " " + std::string(count == 1 ? one : many);
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
