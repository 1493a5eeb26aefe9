// Text from a file is untrusted: strict UTF-8 validation (fast enough to run over whole vocabularies), the
// questions rules ask of it, and the one place where it is made safe to print. Nothing here allocates but the
// escaping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ggufvet {

// The same bytes seen as text, and text seen as bytes.
[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// What one pass over bytes tells: are they UTF-8 (shortest form, no surrogates, at most U+10FFFF), and how
// many of them are zero.
struct TextScan {
  bool valid_utf8 = true;
  std::uint64_t zero_bytes = 0;
};
[[nodiscard]] TextScan scan_text(std::span<const std::byte> bytes);

// The same answer from plain code, on any machine; what the vector forms are checked against.
[[nodiscard]] TextScan scan_text_portable(std::span<const std::byte> bytes);

// Offset of the first byte that does not belong to a well-formed sequence.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);
[[nodiscard]] inline bool is_valid_utf8(std::string_view text) {
  return !find_invalid_utf8(text).has_value();
}

// A code point taken from valid UTF-8 at `at`; moves `at` past it. On an invalid byte: that byte is passed
// over and the answer is kInvalidCodePoint.
inline constexpr std::uint32_t kInvalidCodePoint = 0xFFFFFFFF;
[[nodiscard]] std::uint32_t next_code_point(std::string_view text, std::size_t& at);

// C0 and C1 controls, DEL, and the line and paragraph separators: what can move a cursor or split a log line.
[[nodiscard]] bool is_control(std::uint32_t code_point);
// Characters that reorder or hide text: bidirectional overrides and isolates, zero-width characters, tags,
// BOM.
[[nodiscard]] bool is_hidden(std::uint32_t code_point);

// Whether every character is one that can be seen in ASCII: neither a blank nor a control. True of "".
[[nodiscard]] bool is_graphic_ascii(std::string_view text);
// Whether every character is one of a-z, 0-9, "_", "." and "-": what the format's keys are made of. True of
// "".
[[nodiscard]] bool has_key_characters_only(std::string_view text);

// Offset of the first control or hidden character in valid UTF-8.
[[nodiscard]] std::optional<std::size_t> find_unprintable(std::string_view text);

// Appends `text` so that it can go to any terminal or log: control, hidden and malformed bytes and the quote
// are written as \n, \", \x1b or \u{202e}; at most `characters_max` characters of the text are shown, then an
// ellipsis and how many bytes there were in all.
void append_escaped(std::string& out, std::string_view text, std::size_t characters_max = 80);
[[nodiscard]] std::string escaped(std::string_view text, std::size_t characters_max = 80);

}  // namespace ggufvet
