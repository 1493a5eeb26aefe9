#include "ggufvet/rules/template_scan.h"

#include <optional>

#include "ggufvet/base/text.h"
#include "ggufvet/rules/template_parser.h"
#include "ggufvet/rules/template_tokens.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | ((code_point >> 18) & 0x07));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

[[nodiscard]] std::optional<std::uint32_t> digit_value(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<std::uint32_t>(letter - '0');
  const char lower = static_cast<char>(letter | 0x20);
  if (lower >= 'a' && lower <= 'f') return static_cast<std::uint32_t>(lower - 'a' + 10);
  return std::nullopt;
}

// Digits of a base at `at`, at most `digits_max`; moves `at` past them.
[[nodiscard]] std::uint32_t take_digits(std::string_view text, std::size_t& at, std::size_t digits_max,
                                        std::uint32_t base) {
  std::uint32_t value = 0;
  for (std::size_t count = 0; count < digits_max && at < text.size(); ++count) {
    const auto digit = digit_value(text[at]);
    if (!digit || *digit >= base) break;
    value = value * base + *digit;
    ++at;
  }
  return value;
}

// The escape at `at`, which points behind the backslash.
void append_escape(std::string& out, std::string_view text, std::size_t& at) {
  const char kind = text[at];
  if (kind >= '0' && kind <= '7') return append_utf8(out, take_digits(text, at, 3, 8));
  ++at;
  switch (kind) {
    case 'x':
      return append_utf8(out, take_digits(text, at, 2, 16));
    case 'u':
      return append_utf8(out, take_digits(text, at, 4, 16));
    case 'U':
      return append_utf8(out, take_digits(text, at, 8, 16));
    case 'N': {
      const std::size_t close = text.find('}', at);
      const std::string_view name = text.substr(at, close == std::string_view::npos ? close : close - at);
      out.push_back(name == "{LOW LINE"sv || name == "{low line"sv || name == "{UNDERSCORE"sv ? '_' : '?');
      at = close == std::string_view::npos ? text.size() : close + 1;
      return;
    }
    case 'n':
      return out.push_back('\n');
    case 't':
      return out.push_back('\t');
    case '\n':
      return;
    default:
      out.push_back(kind);
  }
}

[[nodiscard]] bool reorders(std::uint32_t code_point) {
  return (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069) ||
         code_point == 0x200E || code_point == 0x200F || code_point == 0x061C ||
         (code_point >= 0xE0000 && code_point <= 0xE007F);
}

// Joiners between letters that are not ASCII belong to scripts and emoji.
[[nodiscard]] bool joins_letters(std::string_view text, std::size_t begin, std::size_t end,
                                 std::uint32_t code_point) {
  if (code_point != 0x200C && code_point != 0x200D) return false;
  const auto is_wide = [text](std::size_t at) { return static_cast<unsigned char>(text[at]) >= 0x80; };
  return begin > 0 && end < text.size() && is_wide(begin - 1) && is_wide(end);
}

void scan_characters(std::string_view text, MarkSink& sink) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++at;
      continue;
    }
    const std::uint32_t code_point = next_code_point(text, at);
    if (code_point == '\n' || code_point == '\r' || code_point == '\t' || code_point == kInvalidCodePoint)
      continue;
    const auto first = static_cast<std::uint32_t>(begin);
    const auto last = static_cast<std::uint32_t>(at);
    if (reorders(code_point))
      sink.add(TemplateMark::reordered_text, first, last, code_point);
    else if ((is_hidden(code_point) || is_control(code_point)) && !joins_letters(text, begin, at, code_point))
      sink.add(TemplateMark::hidden_character, first, last, code_point);
  }
}

// What could not be parsed may still be run by an engine that is less strict, so the rest is searched for
// what matters most without knowing where its spans are.
void scan_unparsed(std::string_view text, std::size_t from, MarkSink& sink) {
  constexpr std::array kTraces{"__class__"sv, "__globals__"sv, "__builtins__"sv,   "__import__"sv,
                               "__mro__"sv,   "__base__"sv,    "__subclasses__"sv, "\\x5f\\x5f"sv,
                               "|attr("sv,    "| attr("sv};
  for (const std::string_view trace : kTraces) {
    const std::size_t at = text.find(trace, from);
    if (at != std::string_view::npos)
      sink.add(TemplateMark::private_attribute, static_cast<std::uint32_t>(at),
               static_cast<std::uint32_t>(at + trace.size()));
  }
}

}  // namespace

std::string template_string_value(std::string_view literal, std::size_t bytes_max) {
  std::string value;
  if (literal.size() < 2) return value;
  const std::string_view text = literal.substr(1, literal.size() - 2);
  std::size_t at = 0;
  while (at < text.size() && value.size() < bytes_max) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      value.push_back(text[at++]);
      continue;
    }
    ++at;
    append_escape(value, text, at);
  }
  return value;
}

ScannedTemplate scan_template(std::string_view text) {
  ScannedTemplate scanned;
  LexedTemplate lexed = lex_template(text);
  parse_template(text, lexed);
  scanned.problem = lexed.problem;
  scanned.problem_at = lexed.problem_at;
  MarkSink sink(scanned);
  const TemplateTokens tokens(text, lexed);
  scan_reach(tokens, sink);
  scan_loops(tokens, sink);
  scan_conditions(tokens, sink);
  if (text.size() <= kTemplateBytesMax) scan_characters(text, sink);
  if (!lexed.ok()) scan_unparsed(text, lexed.problem_at, sink);
  std::stable_sort(scanned.marks.begin(), scanned.marks.end(),
                   [](const MarkedPlace& a, const MarkedPlace& b) {
                     return a.mark != b.mark ? a.mark < b.mark : a.begin < b.begin;
                   });
  return scanned;
}

}  // namespace ggufvet
