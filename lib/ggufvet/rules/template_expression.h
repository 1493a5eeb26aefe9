// One expression of a template. Internal to the template parser.
#pragma once

#include <array>

#include "ggufvet/rules/template_lexer.h"

namespace ggufvet {

// The parser's place among the tokens, shared by tags and expressions. Fails once and stays failed.
class TemplateCursor {
 public:
  TemplateCursor(std::string_view text, LexedTemplate& lexed) : text_(text), lexed_(lexed), ok_(true) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ >= lexed_.tokens.size(); }
  [[nodiscard]] std::size_t at() const { return at_; }
  void advance(TokenRole role = TokenRole::none) {
    if (role != TokenRole::none) lexed_.tokens[at_].role = role;
    ++at_;
  }

  // `ahead` tokens further on; a token of kind text past the end, which no expression takes.
  [[nodiscard]] TokenKind kind(std::size_t ahead = 0) const {
    return at_ + ahead < lexed_.tokens.size() ? lexed_.tokens[at_ + ahead].kind : TokenKind::text;
  }
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    if (at_ + ahead >= lexed_.tokens.size()) return {};
    const TemplateToken& token = lexed_.tokens[at_ + ahead];
    return text_.substr(token.begin, token.bytes);
  }
  [[nodiscard]] bool is_operation(std::string_view sign, std::size_t ahead = 0) const {
    return kind(ahead) == TokenKind::operation && word(ahead) == sign;
  }
  [[nodiscard]] bool is_name(std::string_view name, std::size_t ahead = 0) const {
    return kind(ahead) == TokenKind::name && word(ahead) == name;
  }
  [[nodiscard]] bool ends_span() const {
    return at_end() || kind() == TokenKind::output_end || kind() == TokenKind::tag_end;
  }
  [[nodiscard]] TemplateToken& token(std::size_t index) { return lexed_.tokens[index]; }

  void fail(TemplateProblem problem) { fail_at(problem, at_); }
  // At a token, or at the end of the template. A problem of the lexer's is nearer to the truth: what the
  // parser misses then is what was not lexed.
  void fail_at(TemplateProblem problem, std::size_t index) {
    if (!ok_) return;
    ok_ = false;
    if (!lexed_.ok()) return;
    lexed_.problem = problem;
    lexed_.problem_at =
        index < lexed_.tokens.size() ? lexed_.tokens[index].begin : static_cast<std::uint32_t>(text_.size());
  }

 private:
  std::string_view text_;
  LexedTemplate& lexed_;
  std::size_t at_ = 0;
  bool ok_;
};

struct ExpressionForm {
  bool tuple = false;         // a, b
  bool condition = true;      // a if b else c
  bool filters_only = false;  // begins behind an operand, with |: `set x | trim`
};

// Consumes one expression. Fails when none stands there.
void parse_expression(TemplateCursor& cursor, ExpressionForm form);
// A filter's name and arguments, without the | before it.
void parse_filter(TemplateCursor& cursor);

}  // namespace ggufvet
