// What a parsed chat template does that a harmless one has no need of. Looks at executable spans only: prose
// between them is text, whatever words it holds. Computed once for each template, so that every rule is a
// look-up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/rules/template_lexer.h"

namespace ggufvet {

enum class TemplateMark : std::uint8_t {
  private_attribute,  // a name that begins with an underscore, or one of Python's own doors, behind a dot or
                      // in quotes
  hidden_attribute,   // an attribute or key whose name is computed
  code_call,          // a function or module that reaches outside of the template
  import_tag,         // import, from, include, extends
  endless_loop,       // more turns or bytes than a template needs
  content_condition,  // a sentence that appears when a message says certain words
  date_condition,     // a branch that depends on the day
  reordered_text,     // characters that reorder or smuggle text
  hidden_character,   // other characters that cannot be seen
  unknown_filter,     // neither Jinja2's nor a loader's
  unknown_test,
};
inline constexpr std::size_t kTemplateMarkCount = 11;
// Kept for each kind; a flood of one must not hide another.
inline constexpr std::size_t kTemplateMarksMax = 8;

struct MarkedPlace {
  TemplateMark mark{};
  std::uint32_t begin = 0;  // bytes in the template
  std::uint32_t end = 0;
  std::uint64_t value = 0;  // endless_loop: the number; hidden characters: the code point
};

struct ScannedTemplate {
  TemplateProblem problem{};
  std::uint32_t problem_at = 0;
  std::vector<MarkedPlace> marks;  // by kind, then place
  std::array<std::uint32_t, kTemplateMarkCount> counts{};
};

// Near linear in the template's size; memory at most 16 bytes for each of at most kTemplateTokensMax tokens
// while it runs.
[[nodiscard]] ScannedTemplate scan_template(std::string_view text);

// A string literal's value, escapes replaced, at most `bytes_max` bytes of it.
[[nodiscard]] std::string template_string_value(std::string_view literal, std::size_t bytes_max = 4096);

}  // namespace ggufvet
