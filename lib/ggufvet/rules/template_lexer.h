// Cuts a chat template into text, comments and the tokens of its executable spans, the way Jinja2 does.
// Judges nothing, renders nothing. Tokens are places in the template; the template must outlive nothing but
// the call.
//
// A well-kept Jinja parser would serve better than one of our own. None fits: inja and Jinja2Cpp throw,
// inja's language is another one than Jinja, minja and the parser inside llama.cpp recurse as deep as the
// input asks for and are not packaged; none of them is in Debian. What is needed here is small: the grammar,
// not its meaning.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ggufvet {

// The largest templates in use have 17 KB and 2,800 tokens. Past these bounds a template is refused unread,
// so that padding it cannot hide anything.
inline constexpr std::uint64_t kTemplateBytesMax = 512 << 10;
inline constexpr std::size_t kTemplateTokensMax = 64 << 10;
// Brackets, blocks, signs and conditions inside one another. Jinja2 itself gives up near 60 brackets or 20
// loops; loaders in C++ recurse and overflow their stacks somewhere above.
inline constexpr std::size_t kTemplateDepthMax = 100;

enum class TemplateProblem : std::uint8_t {
  none,
  comment_open,         // {# without #}
  raw_open,             // {% raw %} without {% endraw %}
  span_open,            // {{ or {% without its end
  string_open,          // a quote without its partner
  string_escape,        // \x, \u or \U without its digits
  character,            // one that no token begins with
  bracket_mismatch,     // closed by another kind than opened it, or never opened
  bracket_open,         // never closed
  expression_expected,  // something that cannot begin one
  unexpected_token,     // the expression or tag should have ended
  name_expected,
  target_expected,  // what cannot be assigned to
  argument_order,   // a positional argument after a named one
  call_expected,    // {% call %} of what is no call
  tag_unknown,
  tag_without_begin,  // an end tag, else or elif outside its block
  tag_unclosed,       // a block without its end tag
  outside_loop,       // break or continue
  go_template,        // the language of Go's text/template
  too_deep,           // more than kTemplateDepthMax
  too_many_tokens,    // more than kTemplateTokensMax
  too_large,          // more than kTemplateBytesMax
};

// The problem in words that continue a sentence: "a quote that is never closed".
[[nodiscard]] std::string_view template_problem_words(TemplateProblem problem);

enum class TokenKind : std::uint8_t {
  text,          // outside of spans, and the content of raw blocks
  output_begin,  // {{
  output_end,    // }}
  tag_begin,     // {%
  tag_end,       // %}
  name,
  string,  // with its quotes
  integer,
  real,
  operation,  // any operator or bracket
};

// What the parser found a token to be.
enum class TokenRole : std::uint8_t {
  none,
  variable,    // a name that stands for a value
  constant,    // true, false, none in their spellings
  attribute,   // behind a dot
  filter,      // behind |, one for each part of a dotted name
  test,        // behind is
  keyword,     // of a named argument
  word,        // and, or, not, in, is, if, else, recursive, …
  tag,         // the first name of a tag
  target,      // assigned to: by set, for, with, macro and its parameters
  group_open,  // brackets: what they enclose
  list_open,
  dict_open,
  subscript_open,
  call_open,  // of whatever stands before it
};

struct TemplateToken {
  std::uint32_t begin = 0;  // byte in the template
  std::uint32_t bytes = 0;
  // Of a bracket: its partner. Of a tag: the next tag of its block (if -> elif -> else -> endif). Else 0.
  std::uint32_t link = 0;
  TokenKind kind{};
  TokenRole role{};
};

struct LexedTemplate {
  std::vector<TemplateToken> tokens;
  TemplateProblem problem{};
  std::uint32_t problem_at = 0;  // byte in the template

  [[nodiscard]] bool ok() const { return problem == TemplateProblem::none; }
};

// Linear in the template's size. Stops at the first problem, with the tokens up to there.
[[nodiscard]] LexedTemplate lex_template(std::string_view text);

}  // namespace ggufvet
