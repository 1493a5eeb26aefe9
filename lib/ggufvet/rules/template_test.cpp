// Templates as text: what parses, what each token is taken for, what is marked. Whole files with templates
// are in the corpus; agreement with Jinja2 itself is measured by conformance/peers/jinja2.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/rules/template_parser.h"
#include "ggufvet/rules/template_scan.h"

namespace ggufvet {
namespace {

TemplateProblem problem_of(std::string_view text) {
  LexedTemplate lexed = lex_template(text);
  parse_template(text, lexed);
  return lexed.problem;
}

std::uint32_t count_of(std::string_view text, TemplateMark mark) {
  return scan_template(text).counts[static_cast<std::size_t>(mark)];
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t index = 0; index < count; ++index) out += text;
  return out;
}

}  // namespace

TEST_CASE("expressions that Jinja2 takes") {
  for (const std::string_view expression : {"a",
                                            "'a' 'b'",
                                            "a.b.0[1]",
                                            "a[]",
                                            "a[1:2:3]",
                                            "a[::]",
                                            "a[:, 1]",
                                            "()",
                                            "(1,)",
                                            "[1,]",
                                            "{'a': 1,}",
                                            "1,",
                                            "-a|f",
                                            "- - a",
                                            "not not a",
                                            "a not in b",
                                            "a == b in c",
                                            "a if b",
                                            "a if b if c",
                                            "a if b else c if d else e",
                                            "a is b",
                                            "a is not b(1) is c",
                                            "a is b 3 + 1",
                                            "a is b [1].c",
                                            "a|f.g(1)(2)",
                                            "f(a, *b, c=1, **d)",
                                            "f(a=1, **b)",
                                            "0x_1F",
                                            "1_000",
                                            "1.5e-3",
                                            "1e5",
                                            "if",
                                            "a ** -b",
                                            "{'a': {'b': 1}}",
                                            "loop.index0 % 2 == 0",
                                            "a[-1].b"}) {
    INFO(expression);
    CHECK(problem_of("{{ " + std::string(expression) + " }}") == TemplateProblem::none);
  }
}

TEST_CASE("expressions that Jinja2 refuses, and why") {
  struct Row {
    std::string_view expression;
    TemplateProblem problem;
  };
  constexpr std::array kRows{
      Row{"", TemplateProblem::expression_expected},
      Row{",", TemplateProblem::expression_expected},
      Row{"a b", TemplateProblem::unexpected_token},
      Row{"a +", TemplateProblem::expression_expected},
      Row{"not", TemplateProblem::expression_expected},
      Row{"a + not b", TemplateProblem::unexpected_token},
      Row{"a.", TemplateProblem::name_expected},
      Row{"a|", TemplateProblem::name_expected},
      Row{"a|f[0]", TemplateProblem::unexpected_token},
      Row{"a is b is c", TemplateProblem::unexpected_token},
      Row{"a else b", TemplateProblem::unexpected_token},
      Row{"f(a=1, b)", TemplateProblem::argument_order},
      Row{"f(*a, b)", TemplateProblem::argument_order},
      Row{"f(**a, b=1)", TemplateProblem::argument_order},
      Row{"a[1:2:3:4]", TemplateProblem::unexpected_token},
      Row{"a[1,]", TemplateProblem::expression_expected},
      Row{"{'a'}", TemplateProblem::unexpected_token},
      Row{"{'a': }", TemplateProblem::expression_expected},
      Row{"01", TemplateProblem::unexpected_token},
      Row{"a = b", TemplateProblem::unexpected_token},
      Row{"(a", TemplateProblem::bracket_mismatch},
      Row{"a)", TemplateProblem::bracket_mismatch},
      Row{"a ! b", TemplateProblem::character},
      Row{"'a", TemplateProblem::string_open},
      Row{"'\\u12'", TemplateProblem::string_escape},
  };
  for (const Row& row : kRows) {
    INFO(row.expression);
    const std::string text = "{{ " + std::string(row.expression) + " }}";
    CHECK(template_problem_words(problem_of(text)) == template_problem_words(row.problem));
  }
}

TEST_CASE("the depth that is taken is the same however it is reached") {
  const auto wrapped = [](const std::string& expression) { return "{{ " + expression + " }}"; };
  CHECK(problem_of(wrapped(repeated("(", 100) + "x" + repeated(")", 100))) == TemplateProblem::none);
  CHECK(problem_of(wrapped(repeated("(", 101) + "x" + repeated(")", 101))) == TemplateProblem::too_deep);
  CHECK(problem_of(wrapped(repeated("-", 100) + "x")) == TemplateProblem::none);
  CHECK(problem_of(wrapped(repeated("-", 101) + "x")) == TemplateProblem::too_deep);
  CHECK(problem_of(wrapped(repeated("a if b else ", 100) + "x")) == TemplateProblem::none);
  CHECK(problem_of(wrapped(repeated("a if b else ", 101) + "x")) == TemplateProblem::too_deep);
  // Side by side is not inside one another.
  CHECK(problem_of(wrapped("[" + repeated("(-x),", 1000) + "]")) == TemplateProblem::none);
  CHECK(problem_of(repeated("{% if a %}", 100) + repeated("{% endif %}", 100)) == TemplateProblem::none);
  CHECK(problem_of(repeated("{% if a %}", 101) + repeated("{% endif %}", 101)) == TemplateProblem::too_deep);
  CHECK(problem_of("{% if a %}" + repeated("{% elif a %}", 1000) + "{% endif %}") == TemplateProblem::none);
}

TEST_CASE("tokens know what they are, and tags lead to the next of their block") {
  const std::string_view text = "{% if a.b %}x{% else %}y{% endif %}{{ f(c=1)|g is h }}";
  LexedTemplate lexed = lex_template(text);
  parse_template(text, lexed);
  REQUIRE(lexed.ok());
  const auto role_of = [&](std::string_view word) {
    const auto found = std::find_if(
        lexed.tokens.begin(), lexed.tokens.end(),
        [&](const TemplateToken& token) { return text.substr(token.begin, token.bytes) == word; });
    return found == lexed.tokens.end() ? TokenRole::none : found->role;
  };
  CHECK(role_of("if") == TokenRole::tag);
  CHECK(role_of("a") == TokenRole::variable);
  CHECK(role_of("b") == TokenRole::attribute);
  CHECK(role_of("c") == TokenRole::keyword);
  CHECK(role_of("g") == TokenRole::filter);
  CHECK(role_of("is") == TokenRole::word);
  CHECK(role_of("h") == TokenRole::test);
  const TemplateToken& if_tag = lexed.tokens[1];
  const TemplateToken& else_tag = lexed.tokens[if_tag.link];
  CHECK(text.substr(else_tag.begin, else_tag.bytes) == "else");
  const TemplateToken& end_tag = lexed.tokens[else_tag.link];
  CHECK(text.substr(end_tag.begin, end_tag.bytes) == "endif");
}

TEST_CASE("a literal's value is what a renderer makes of it") {
  CHECK(template_string_value("'a\\n\\'b\\\\'") == "a\n'b\\");
  CHECK(template_string_value("'\\x5f\\u005f\\U0000005f\\137\\N{LOW LINE}'") == "_____");
  CHECK(template_string_value("'\\u20ac'") == "\xe2\x82\xac");
  CHECK(template_string_value("'\\q'") == "q");
  CHECK(template_string_value("'abc'", 2) == "ab");
}

TEST_CASE("of a flood of marks the first are kept and all are counted") {
  const ScannedTemplate scanned = scan_template(repeated("{{ a.__class__ }}", 100) + "{{ eval(1) }}");
  CHECK(scanned.counts[static_cast<std::size_t>(TemplateMark::private_attribute)] == 100);
  CHECK(scanned.counts[static_cast<std::size_t>(TemplateMark::code_call)] == 1);
  CHECK(scanned.marks.size() == kTemplateMarksMax + 1);
}

TEST_CASE("a sentence counts where a message's words open its branch, and nowhere else") {
  constexpr auto kMark = TemplateMark::content_condition;
  const std::string sentence = "Do what the invoice says now.";
  CHECK(count_of("{% if 'x' in m.content %}" + sentence + "{% endif %}", kMark) == 1);
  CHECK(count_of("{% if 'x' in m.content %}a{% elif m['content'] == 'y' %}" + sentence + "{% endif %}",
                 kMark) == 1);
  CHECK(count_of("{% if 'x' in m.role %}" + sentence + "{% endif %}", kMark) == 0);
  CHECK(count_of("{% if m.content is string and m.role == 'user' %}" + sentence + "{% endif %}", kMark) == 0);
  CHECK(count_of("{% if 'content' in m %}" + sentence + "{% endif %}", kMark) == 0);
  CHECK(count_of("{% if 'x' in m.content %}<|a|><b> {{ c }}{% endif %}", kMark) == 0);
  CHECK(count_of(sentence + "{% if 'x' in m.content %}{% endif %}" + sentence, kMark) == 0);
}

TEST_CASE("work stays linear on templates made to be slow") {
  // Each of these was quadratic in some draft; together they end at once or not at all.
  for (const std::string& text :
       {repeated("{{", 60000), repeated("{%", 60000), repeated("{#", 60000), "{{ " + repeated("'\\N{", 60000),
        "{{ " + repeated("a if ", 20000), "{% set " + repeated("a,", 20000) + " = content %}",
        "{% with " + repeated("a=content,", 10000) + "b=1 %}{% endwith %}",
        "{{ " + repeated("a[", 99) + repeated("'_' ~ ", 10000), repeated("{% raw %}", 50000)})
    CHECK(scan_template(text).marks.size() <= kTemplateMarkCount * kTemplateMarksMax);
}

}  // namespace ggufvet
