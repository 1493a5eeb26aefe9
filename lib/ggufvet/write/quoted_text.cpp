#include "ggufvet/write/quoted_text.h"

#include <charconv>
#include <cstdint>

namespace ggufvet {
namespace {

constexpr std::uint32_t kCodePointMax = 0x10FFFF;

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto byte = [&out](std::uint32_t value) {
    out += static_cast<char>(static_cast<unsigned char>(value));
  };
  const auto tail = [&](std::uint32_t shift) { byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    byte(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Takes hexadecimal digits, all of `digits`.
[[nodiscard]] std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

[[nodiscard]] bool append_byte_escape(std::string& out, std::string_view& rest) {
  if (rest.size() < 2) return false;
  const auto value = parse_hex(rest.substr(0, 2));
  if (!value) return false;
  out += static_cast<char>(static_cast<unsigned char>(*value));
  rest.remove_prefix(2);
  return true;
}

// Surrogates are allowed: what they encode to is one of the things a recipe wants to say.
[[nodiscard]] bool append_code_point_escape(std::string& out, std::string_view& rest) {
  const std::size_t close = rest.find('}');
  if (rest.empty() || rest.front() != '{' || close == std::string_view::npos) return false;
  const auto value = parse_hex(rest.substr(1, close - 1));
  if (!value || *value > kCodePointMax) return false;
  append_utf8(out, *value);
  rest.remove_prefix(close + 1);
  return true;
}

[[nodiscard]] bool append_escape(std::string& out, std::string_view& rest) {
  const char kind = rest.front();
  rest.remove_prefix(1);
  switch (kind) {
    case 'n':
      out += '\n';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'r':
      out += '\r';
      return true;
    case '0':
      out += '\0';
      return true;
    case '\\':
      out += '\\';
      return true;
    case '"':
      out += '"';
      return true;
    case 'x':
      return append_byte_escape(out, rest);
    case 'u':
      return append_code_point_escape(out, rest);
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> take_quoted(std::string_view& rest) {
  if (rest.empty() || rest.front() != '"') return std::nullopt;
  std::string_view left = rest.substr(1);
  std::string text;
  while (!left.empty()) {
    const char letter = left.front();
    left.remove_prefix(1);
    if (letter == '"') {
      rest = left;
      return text;
    }
    if (letter != '\\') {
      text += letter;
      continue;
    }
    if (left.empty() || !append_escape(text, left)) return std::nullopt;
  }
  return std::nullopt;
}

std::string quoted(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (const char letter : bytes) {
    const auto value = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      text += '\\';
      text += letter;
    } else if (value >= 0x20 && value < 0x7F) {
      text += letter;
    } else {
      text += "\\x";
      text += kDigits[value >> 4];
      text += kDigits[value & 15];
    }
  }
  text += '"';
  return text;
}

}  // namespace ggufvet
