#include "ggufvet/rules/template_lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ggufvet/base/text.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

[[nodiscard]] bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
[[nodiscard]] bool is_hex_digit(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}
[[nodiscard]] bool is_ascii_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
[[nodiscard]] bool is_ascii_space(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r') || (letter >= 0x1C && letter <= 0x1F);
}

[[nodiscard]] bool is_wide_space(std::uint32_t code_point) {
  return code_point == 0x85 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 || code_point == 0x2029 ||
         code_point == 0x202F || code_point == 0x205F || code_point == 0x3000;
}

// Jinja2 asks Unicode's tables whether a character may stand in a name. Blocks of punctuation and symbols do
// as well here: a name outside ASCII is rare enough, and a symbol taken for a letter hides nothing.
[[nodiscard]] bool is_wide_letter(std::uint32_t code_point) {
  if (code_point == kInvalidCodePoint || code_point < 0xAA || is_hidden(code_point)) return false;
  if (code_point < 0xC0) return code_point == 0xAA || code_point == 0xB5 || code_point == 0xBA;
  if (code_point == 0xD7 || code_point == 0xF7) return false;
  struct Span {
    std::uint32_t first, last;
  };
  constexpr std::array<Span, 6> kSymbols{{{0x2000, 0x206F},
                                          {0x20A0, 0x20CF},
                                          {0x2190, 0x2BFF},
                                          {0x3000, 0x3003},
                                          {0x3008, 0x3020},
                                          {0xE000, 0xF8FF}}};
  if ((code_point >= 0xFF00 && code_point <= 0xFF0F) || (code_point >= 0xFF5B && code_point <= 0xFF65))
    return false;
  if (code_point >= 0x1F000 && code_point <= 0x1FAFF) return false;
  return std::none_of(kSymbols.begin(), kSymbols.end(), [code_point](const Span& span) {
    return span.first <= code_point && code_point <= span.last;
  });
}

[[nodiscard]] std::size_t digits_end(std::string_view text, std::size_t at, bool (*is_member)(char)) {
  // Digits with single underscores between them.
  while (at < text.size()) {
    if (is_member(text[at]))
      ++at;
    else if (text[at] == '_' && at + 1 < text.size() && is_member(text[at + 1]))
      at += 2;
    else
      break;
  }
  return at;
}

// Is a span written in the language of Go's text/template, as tools of the Ollama family store it? Jinja
// would take
// `{{ if .System }}` for an attribute of a variable named "if".
[[nodiscard]] bool begins_like_go(std::string_view span) {
  const auto skip = [&span] {
    while (!span.empty() && is_ascii_space(span[0])) span.remove_prefix(1);
  };
  const auto take = [&span](std::string_view word) {
    if (!span.starts_with(word) || span.size() <= word.size() || !is_ascii_space(span[word.size()]))
      return false;
    span.remove_prefix(word.size());
    return true;
  };
  if (span.starts_with('-')) span.remove_prefix(1);
  skip();
  if (take("else"sv)) skip();
  for (const std::string_view word : {"if"sv, "range"sv, "with"sv}) {
    if (!take(word)) continue;
    skip();
    for (const std::string_view function :
         {"eq"sv, "ne"sv, "and"sv, "or"sv, "not"sv, "gt"sv, "lt"sv, "len"sv})
      if (take(function)) return true;
    return span.starts_with('.') || span.starts_with('$') || span.starts_with("(eq "sv) ||
           span.starts_with("(and "sv) || span.starts_with("(or "sv);
  }
  const bool begins_with_dot =
      span.size() > 1 && span[0] == '.' && (is_ascii_letter(span[1]) || span[1] == ' ');
  return begins_with_dot || span.starts_with('$') || span.starts_with("/*"sv);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  [[nodiscard]] LexedTemplate run() {
    if (text_.size() > kTemplateBytesMax) {
      fail(TemplateProblem::too_large, 0);
      return std::move(out_);
    }
    while (out_.ok() && at_ < text_.size()) root();
    return std::move(out_);
  }

 private:
  // Text up to the next span, then the span.
  void root() {
    std::size_t open = at_;
    for (;; ++open) {
      open = text_.find('{', open);
      if (open == std::string_view::npos || open + 1 >= text_.size()) {
        add(TokenKind::text, at_, text_.size());
        at_ = text_.size();
        return;
      }
      const char next = text_[open + 1];
      if (next == '{' || next == '%' || next == '#') break;
    }
    if (open > at_) add(TokenKind::text, at_, open);
    at_ = open;
    if (text_[open + 1] == '#')
      comment();
    else if (text_[open + 1] == '%' && raw_begins())
      raw();
    else
      span(text_[open + 1] == '%');
  }

  void comment() {
    const std::size_t end = text_.find("#}"sv, at_ + 2);
    if (end == std::string_view::npos) return fail(TemplateProblem::comment_open, at_);
    at_ = end + 2;
  }

  // {% raw %}, with its signs; raw_body_ is where its content begins.
  [[nodiscard]] bool raw_begins() {
    std::size_t at = at_ + 2;
    if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
    at = skip_spaces(at);
    if (!text_.substr(at).starts_with("raw"sv)) return false;
    at = skip_spaces(at + 3);
    if (at < text_.size() && text_[at] == '-') ++at;
    if (!text_.substr(at).starts_with("%}"sv)) return false;
    raw_body_ = at + 2;
    return true;
  }

  void raw() {
    std::size_t from = raw_body_;
    for (;; from += 2) {
      from = text_.find("{%"sv, from);
      if (from == std::string_view::npos) return fail(TemplateProblem::raw_open, at_);
      std::size_t at = from + 2;
      if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
      at = skip_spaces(at);
      if (!text_.substr(at).starts_with("endraw"sv)) continue;
      at = skip_spaces(at + 6);
      if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
      if (!text_.substr(at).starts_with("%}"sv)) continue;
      add(TokenKind::text, raw_body_, from);
      at_ = at + 2;
      return;
    }
  }

  void span(bool is_tag) {
    const std::size_t open = at_;
    if (!is_tag && begins_like_go(text_.substr(open + 2))) return fail(TemplateProblem::go_template, open);
    std::size_t end = at_ + 2;
    if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
    add(is_tag ? TokenKind::tag_begin : TokenKind::output_begin, at_, end);
    at_ = end;
    brackets_.clear();
    while (out_.ok()) {
      skip_all_spaces();
      if (at_ >= text_.size())
        return brackets_.empty() ? fail(TemplateProblem::span_open, open)
                                 : fail(TemplateProblem::bracket_open, brackets_.back().at);
      if (brackets_.empty() && ends(is_tag)) return;
      token();
    }
  }

  // Inside brackets "}}" are two brackets, so the end of a span is looked for outside of them only.
  [[nodiscard]] bool ends(bool is_tag) {
    const std::string_view rest = text_.substr(at_);
    const std::string_view end = is_tag ? "%}"sv : "}}"sv;
    const bool signed_end =
        rest.size() > 2 && (rest[0] == '-' || (is_tag && rest[0] == '+')) && rest.substr(1).starts_with(end);
    if (!signed_end && !rest.starts_with(end)) return false;
    const std::size_t bytes = signed_end ? 3 : 2;
    add(is_tag ? TokenKind::tag_end : TokenKind::output_end, at_, at_ + bytes);
    at_ += bytes;
    return true;
  }

  void token() {
    const char letter = text_[at_];
    if (is_digit(letter)) return number();
    if (letter == '"' || letter == '\'') return string();
    if (is_ascii_letter(letter) || letter == '_' || static_cast<unsigned char>(letter) >= 0x80) return name();
    operation();
  }

  void number() {
    const std::size_t begin = at_;
    // "x.0.1" is two subscripts, not a float: a number behind a dot stays an integer.
    const bool behind_dot = begin > 0 && text_[begin - 1] == '.';
    std::size_t end = digits_end(text_, begin, is_digit);
    const auto behind = [this](std::size_t at) { return at < text_.size() ? text_[at] : '\0'; };
    std::size_t real_end = 0;
    if (behind(end) == '.' && is_digit(behind(end + 1))) real_end = digits_end(text_, end + 1, is_digit);
    const std::size_t mantissa_end = real_end != 0 ? real_end : end;
    if (behind(mantissa_end) == 'e' || behind(mantissa_end) == 'E') {
      std::size_t exponent = mantissa_end + 1;
      if (behind(exponent) == '+' || behind(exponent) == '-') ++exponent;
      if (is_digit(behind(exponent))) real_end = digits_end(text_, exponent, is_digit);
    }
    if (real_end != 0 && !behind_dot) {
      add(TokenKind::real, begin, real_end);
      at_ = real_end;
      return;
    }
    if (text_[begin] == '0') end = prefixed_integer_end(begin);
    add(TokenKind::integer, begin, end);
    at_ = end;
  }

  // 0b…, 0o…, 0x…, or zeros: "01" is a zero and a one, which no grammar puts side by side.
  [[nodiscard]] std::size_t prefixed_integer_end(std::size_t begin) {
    if (begin + 2 < text_.size()) {
      const char mark = static_cast<char>(text_[begin + 1] | 0x20);
      const auto member = mark == 'x'   ? is_hex_digit
                          : mark == 'o' ? +[](char letter) { return letter >= '0' && letter <= '7'; }
                          : mark == 'b' ? +[](char letter) { return letter == '0' || letter == '1'; }
                                        : nullptr;
      if (member != nullptr) {
        const std::size_t first = begin + 2 + (text_[begin + 2] == '_' ? 1 : 0);
        if (first < text_.size() && member(text_[first])) return digits_end(text_, first, member);
      }
    }
    return digits_end(
        text_, begin, +[](char letter) { return letter == '0'; });
  }

  void string() {
    const std::size_t begin = at_;
    const char quote = text_[at_];
    std::size_t at = at_ + 1;
    while (at < text_.size() && text_[at] != quote) {
      if (text_[at] != '\\') {
        ++at;
        continue;
      }
      if (!escape_is_whole(at)) return fail(TemplateProblem::string_escape, at);
      at += 2;
    }
    if (at >= text_.size()) return fail(TemplateProblem::string_open, begin);
    add(TokenKind::string, begin, at + 1);
    at_ = at + 1;
  }

  // \xHH, \uHHHH, \UHHHHHHHH and \N{…}; any other letter may follow a backslash.
  [[nodiscard]] bool escape_is_whole(std::size_t at) const {
    const char kind = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (kind == 'N') {
      // No character's name is longer, and a far end must not be searched for again and again.
      const std::string_view rest = text_.substr(at, 100);
      const std::size_t close = rest.find('}');
      return rest.size() > 2 && rest[2] == '{' && close != std::string_view::npos && close > 3;
    }
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (text_.size() - at < 2 + digits) return digits == 0;
    const std::string_view value = text_.substr(at + 2, digits);
    if (!std::all_of(value.begin(), value.end(), is_hex_digit)) return false;
    return digits != 8 || value <= "0010FFFF"sv || (value.starts_with("0010"sv));
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (is_ascii_letter(letter) || is_digit(letter) || letter == '_') {
        ++at_;
        continue;
      }
      if (static_cast<unsigned char>(letter) < 0x80) break;
      std::size_t next = at_;
      if (!is_wide_letter(next_code_point(text_, next))) break;
      at_ = next;
    }
    if (at_ == begin) return fail(TemplateProblem::character, begin);
    add(TokenKind::name, begin, at_);
  }

  void operation() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view pair : {"//"sv, "**"sv, "=="sv, "!="sv, ">="sv, "<="sv})
      if (rest.starts_with(pair)) return add_operation(2);
    constexpr std::string_view kSingles = "+-/*%~[](){}><=.:|,;";
    if (kSingles.find(rest[0]) == std::string_view::npos) return fail(TemplateProblem::character, at_);
    add_operation(1);
  }

  void add_operation(std::size_t bytes) {
    const char letter = text_[at_];
    const auto index = static_cast<std::uint32_t>(out_.tokens.size());
    if (letter == '(' || letter == '[' || letter == '{') {
      if (brackets_.size() == kTemplateDepthMax) return fail(TemplateProblem::too_deep, at_);
      brackets_.push_back({letter, at_, index});
    } else if (letter == ')' || letter == ']' || letter == '}') {
      const char opener = letter == ')' ? '(' : letter == ']' ? '[' : '{';
      if (brackets_.empty() || brackets_.back().letter != opener)
        return fail(TemplateProblem::bracket_mismatch, at_);
    }
    add(TokenKind::operation, at_, at_ + bytes);
    if (out_.ok() && (letter == ')' || letter == ']' || letter == '}')) {
      out_.tokens.back().link = brackets_.back().index;
      out_.tokens[brackets_.back().index].link = index;
      brackets_.pop_back();
    }
    at_ += bytes;
  }

  [[nodiscard]] std::size_t skip_spaces(std::size_t at) const {
    while (at < text_.size() && is_ascii_space(text_[at])) ++at;
    return at;
  }

  void skip_all_spaces() {
    while (at_ < text_.size()) {
      if (is_ascii_space(text_[at_])) {
        ++at_;
        continue;
      }
      if (static_cast<unsigned char>(text_[at_]) < 0x80) return;
      std::size_t next = at_;
      if (!is_wide_space(next_code_point(text_, next))) return;
      at_ = next;
    }
  }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    if (out_.tokens.size() == kTemplateTokensMax) return fail(TemplateProblem::too_many_tokens, begin);
    out_.tokens.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin), 0,
                           kind, TokenRole::none});
  }

  void fail(TemplateProblem problem, std::size_t at) {
    out_.problem = problem;
    out_.problem_at = static_cast<std::uint32_t>(at);
  }

  struct OpenBracket {
    char letter;
    std::size_t at;
    std::uint32_t index;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t raw_body_ = 0;
  std::vector<OpenBracket> brackets_;
  LexedTemplate out_;
};

}  // namespace

std::string_view template_problem_words(TemplateProblem problem) {
  constexpr std::array<std::string_view, 23> kWords{"nothing",
                                                    "a comment that is never closed",
                                                    "a raw block that is never closed",
                                                    "a span that is never closed",
                                                    "a quote that is never closed",
                                                    "an escape in a string without its digits",
                                                    "a character that begins nothing",
                                                    "a closing bracket without its opening one",
                                                    "a bracket that is never closed",
                                                    "something where an expression should begin",
                                                    "something after the expression should have ended",
                                                    "something where a name should stand",
                                                    "something that cannot be assigned to",
                                                    "an argument out of order",
                                                    "a call block without a call",
                                                    "a tag that Jinja does not have",
                                                    "an end tag without its block",
                                                    "a block without its end tag",
                                                    "a break or continue outside a loop",
                                                    "the template language of Go",
                                                    "nesting deeper than loaders bear",
                                                    "more tokens than any template needs",
                                                    "more bytes than any template needs"};
  return kWords[static_cast<std::size_t>(problem)];
}

LexedTemplate lex_template(std::string_view text) { return Lexer(text).run(); }

}  // namespace ggufvet
