#include "ggufvet/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "ggufvet/base/text_simd.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// Length of the well-formed sequence at `at`, or 0. The bounds on the second byte are the ones of the Unicode
// standard, table 3-7: they exclude long forms, surrogates and everything above U+10FFFF.
[[nodiscard]] std::size_t sequence_bytes(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  std::size_t bytes = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    bytes = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    bytes = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    bytes = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (bytes > text.size() - at) return 0;
  const std::uint8_t second = byte_at(text, at + 1);
  if (second < low || second > high) return 0;
  for (std::size_t next = 2; next < bytes; ++next)
    if ((byte_at(text, at + next) & 0xC0) != 0x80) return 0;
  return bytes;
}

// Zero bytes in eight: adding 0x7F to the low seven bits of a byte sets its top bit unless they are all zero,
// and nothing carries into the neighbour, so the count is exact.
[[nodiscard]] int zero_bytes_in_word(std::uint64_t word) {
  constexpr std::uint64_t kLow7 = 0x7F7F7F7F7F7F7F7F;
  const std::uint64_t nonzero = ((word & kLow7) + kLow7) | word | kLow7;
  return __builtin_popcountll(~nonzero);
}

constexpr std::uint64_t kTopBits = 0x8080808080808080;

// Sixteen characters at a time; both compilers turn this into whatever vectors the machine has, or into plain
// code.
using Characters = std::uint8_t __attribute__((vector_size(16)));
using Faults = std::int8_t __attribute__((vector_size(16)));

[[nodiscard]] Characters load_characters(const char* text) {
  Characters characters;
  std::memcpy(&characters, text, sizeof characters);
  return characters;
}

// Whether no character is at fault; the last sixteen overlap those before. A shorter text is filled up with a
// character that never is.
template <class FaultsOf>
[[nodiscard]] bool none_faulty(std::string_view text, const FaultsOf& faults_of) {
  constexpr std::size_t kStep = sizeof(Characters);
  Faults faults{};
  if (text.size() < kStep) {
    std::array<char, kStep> filled;
    filled.fill('a');
    std::copy(text.begin(), text.end(), filled.begin());
    faults = faults_of(load_characters(filled.data()));
  } else {
    for (std::size_t at = 0; at + kStep <= text.size(); at += kStep)
      faults |= faults_of(load_characters(text.data() + at));
    faults |= faults_of(load_characters(text.data() + text.size() - kStep));
  }
  std::array<std::uint64_t, 2> halves;
  static_assert(sizeof halves == sizeof faults);
  std::memcpy(halves.data(), &faults, sizeof faults);
  return (halves[0] | halves[1]) == 0;
}

}  // namespace

bool is_graphic_ascii(std::string_view text) {
  return none_faulty(text, [](Characters each) { return (each < 0x21) | (each > 0x7E); });
}

bool has_key_characters_only(std::string_view text) {
  return none_faulty(text, [](Characters each) {
    const Faults letter = (each >= 'a') & (each <= 'z');
    const Faults digit_or_mark = (each >= '-') & (each <= '9') & (each != '/');
    return ~(letter | digit_or_mark | (each == '_'));
  });
}

TextScan scan_text_portable(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  TextScan scan;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & kTopBits) == 0) {
        scan.zero_bytes += static_cast<std::uint64_t>(zero_bytes_in_word(word));
        at += sizeof word;
        continue;
      }
    }
    const std::size_t step = sequence_bytes(text, at);
    if (step == 0) scan.valid_utf8 = false;
    if (text[at] == '\0') ++scan.zero_bytes;
    at += step == 0 ? 1 : step;
  }
  return scan;
}

TextScan scan_text(std::span<const std::byte> bytes) {
  // Below this size the set-up of the vector form costs more than it saves.
  constexpr std::size_t kVectorBytesMin = 64;
  if (bytes.size() >= kVectorBytesMin && simd_text_available()) return scan_text_simd(bytes);
  return scan_text_portable(bytes);
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t step = sequence_bytes(text, at);
    if (step == 0) return at;
    at += step;
  }
  return std::nullopt;
}

std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const std::size_t bytes = sequence_bytes(text, at);
  if (bytes == 0) {
    ++at;
    return kInvalidCodePoint;
  }
  std::uint32_t value = byte_at(text, at);
  if (bytes > 1) value &= 0x7Fu >> bytes;
  for (std::size_t next = 1; next < bytes; ++next) value = (value << 6) | (byte_at(text, at + next) & 0x3Fu);
  at += bytes;
  return value;
}

bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F) || code_point == 0x2028 ||
         code_point == 0x2029;
}

bool is_hidden(std::uint32_t code_point) {
  struct Span {
    std::uint32_t first, last;
  };
  // Unicode's bidirectional controls, default-ignorable format characters and tag characters.
  constexpr std::array<Span, 10> kHidden{{{0x00AD, 0x00AD},
                                          {0x061C, 0x061C},
                                          {0x180E, 0x180E},
                                          {0x200B, 0x200F},
                                          {0x202A, 0x202E},
                                          {0x2060, 0x206F},
                                          {0xFEFF, 0xFEFF},
                                          {0xFFF9, 0xFFFB},
                                          {0x1D173, 0x1D17A},
                                          {0xE0000, 0xE007F}}};
  return std::any_of(kHidden.begin(), kHidden.end(), [code_point](const Span& span) {
    return span.first <= code_point && code_point <= span.last;
  });
}

std::optional<std::size_t> find_unprintable(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    const std::uint32_t code_point = next_code_point(text, at);
    if (code_point == kInvalidCodePoint || is_control(code_point) || is_hidden(code_point)) return begin;
  }
  return std::nullopt;
}

namespace {

void append_escape_sequence(std::string& out, std::uint32_t code_point) {
  char buffer[16];
  if (code_point < 0x80)
    std::snprintf(buffer, sizeof buffer, "\\x%02x", code_point);
  else
    std::snprintf(buffer, sizeof buffer, "\\u{%x}", code_point);
  out += buffer;
}

void append_code_point(std::string& out, std::string_view raw, std::uint32_t code_point) {
  switch (code_point) {
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    default:
      if (is_control(code_point) || is_hidden(code_point))
        append_escape_sequence(out, code_point);
      else
        out += raw;
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, std::size_t characters_max) {
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size(); ++shown) {
    if (shown == characters_max) {
      out += "… (" + std::to_string(text.size()) + " bytes)";
      return;
    }
    const std::size_t begin = at;
    const std::uint32_t code_point = next_code_point(text, at);
    if (code_point == kInvalidCodePoint) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", byte_at(text, begin));
      out += buffer;
    } else {
      append_code_point(out, text.substr(begin, at - begin), code_point);
    }
  }
}

std::string escaped(std::string_view text, std::size_t characters_max) {
  std::string out;
  append_escaped(out, text, characters_max);
  return out;
}

}  // namespace ggufvet
