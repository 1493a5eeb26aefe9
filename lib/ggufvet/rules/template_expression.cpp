#include "ggufvet/rules/template_expression.h"

#include <algorithm>

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

// What encloses the operand that is being read.
enum class FrameKind : std::uint8_t { base, group, list, dict, subscript, call };

struct Frame {
  FrameKind kind{};
  bool tuple = false;              // commas are taken
  bool condition = true;           // `if` is taken
  bool condition_pending = false;  // an `if` whose `else` has not come
  bool in_value = false;           // dict: behind the colon
  bool after_comma = false;
  bool closable = false;    // nothing read since it was opened or since a comma that may trail
  std::uint8_t colons = 0;  // subscript
  bool named_seen = false;  // call: what may not be followed by what
  bool star_seen = false;
  bool double_star_seen = false;
  // Of the operand in which it was opened, to be taken up again when it closes.
  bool outer_postfix = false;
  bool outer_test_argument = false;
  std::uint16_t chain = 0;  // signs, nots and elses, each of which a recursive parser goes one deeper for
};

class Expression {
 public:
  Expression(TemplateCursor& cursor, ExpressionForm form) : in_(cursor) {
    frames_[0] = {.kind = FrameKind::base, .tuple = form.tuple, .condition = form.condition};
    operand_expected_ = !form.filters_only;
    filters_only_ = form.filters_only;
  }

  void run() {
    while (in_.ok() && !done_) {
      if (depth_ > kTemplateDepthMax) return in_.fail(TemplateProblem::too_deep);
      if (operand_expected_)
        operand();
      else
        behind_operand();
    }
  }

 private:
  [[nodiscard]] Frame& top() { return frames_[open_]; }

  // ---- where an operand should stand

  void operand() {
    Frame& frame = top();
    if (frame.after_comma && frame.kind == FrameKind::base && ends_tuple()) {
      done_ = true;
      return;
    }
    if (frame.closable && closes(frame)) return close();
    if (frame.kind == FrameKind::subscript && in_.is_operation(":")) return slice_colon();
    if (frame.kind == FrameKind::call && argument_head_) return argument_head();
    switch (in_.kind()) {
      case TokenKind::name:
        return name();
      case TokenKind::string:
        while (in_.kind() == TokenKind::string) in_.advance();
        return operand_read();
      case TokenKind::integer:
      case TokenKind::real:
        in_.advance();
        return operand_read();
      case TokenKind::operation:
        return prefix();
      default:
        in_.fail(TemplateProblem::expression_expected);
    }
  }

  [[nodiscard]] bool ends_tuple() const { return in_.ends_span() || in_.is_operation(")"); }

  [[nodiscard]] bool closes(const Frame& frame) const {
    switch (frame.kind) {
      case FrameKind::group:
      case FrameKind::call:
        return in_.is_operation(")");
      case FrameKind::list:
      case FrameKind::subscript:
        return in_.is_operation("]");
      case FrameKind::dict:
        return in_.is_operation("}");
      case FrameKind::base:
        return false;
    }
    return false;
  }

  void name() {
    // Behind a sign or a comparison "not" is a name like any other, as Jinja2 has it.
    if (in_.word() == "not"sv && not_allowed_) {
      in_.advance(TokenRole::word);
      return deeper();
    }
    constexpr std::array kConstants{"true"sv, "false"sv, "none"sv, "True"sv, "False"sv, "None"sv};
    const bool is_constant = std::find(kConstants.begin(), kConstants.end(), in_.word()) != kConstants.end();
    in_.advance(is_constant ? TokenRole::constant : TokenRole::variable);
    operand_read();
  }

  void prefix() {
    if (in_.is_operation("(")) return open(FrameKind::group, TokenRole::group_open);
    if (in_.is_operation("[")) return open(FrameKind::list, TokenRole::list_open);
    if (in_.is_operation("{")) return open(FrameKind::dict, TokenRole::dict_open);
    if ((in_.is_operation("-") || in_.is_operation("+")) && !test_argument_) {
      in_.advance();
      not_allowed_ = false;
      return deeper();
    }
    in_.fail(TemplateProblem::expression_expected);
  }

  void deeper() {
    ++top().chain;
    ++depth_;
    top().closable = top().after_comma = false;
    argument_head_ = false;
  }

  void operand_read() {
    operand_expected_ = false;
    postfix_ = true;
    top().closable = top().after_comma = false;
    argument_head_ = false;
  }

  // *x, **x, name=x, x, in the order Jinja2 takes them.
  void argument_head() {
    argument_head_ = false;
    Frame& frame = top();
    if (in_.is_operation("*")) {
      if (frame.star_seen || frame.double_star_seen) return in_.fail(TemplateProblem::argument_order);
      frame.star_seen = true;
      frame.closable = false;
      return in_.advance();
    }
    if (in_.is_operation("**")) {
      if (frame.double_star_seen) return in_.fail(TemplateProblem::argument_order);
      frame.double_star_seen = true;
      frame.closable = false;
      return in_.advance();
    }
    if (frame.double_star_seen) return in_.fail(TemplateProblem::argument_order);
    if (in_.kind() == TokenKind::name && in_.is_operation("=", 1)) {
      frame.named_seen = true;
      frame.closable = false;
      in_.advance(TokenRole::keyword);
      return in_.advance();
    }
    if (frame.named_seen || frame.star_seen) in_.fail(TemplateProblem::argument_order);
  }

  void slice_colon() {
    Frame& frame = top();
    if (++frame.colons > 2) return in_.fail(TemplateProblem::unexpected_token);
    frame.condition_pending = false;
    in_.advance();
    // Every part of a slice may be left out.
    if (in_.is_operation("]")) return close();
    expect_operand();
    if (in_.is_operation(",")) behind_slice();
  }

  void behind_slice() {
    in_.advance();
    top().colons = 0;
    expect_operand();
  }

  void open(FrameKind kind, TokenRole role) {
    if (open_ + 1 == frames_.size()) return in_.fail(TemplateProblem::too_deep);
    top().closable = top().after_comma = false;
    in_.advance(role);
    ++depth_;
    frames_[++open_] = {
        .kind = kind,
        .tuple = true,
        .closable = true,
        .outer_postfix = kind == FrameKind::call || kind == FrameKind::subscript ? postfix_ : true,
        .outer_test_argument = test_argument_};
    test_argument_ = false;
    expect_operand();
    argument_head_ = kind == FrameKind::call;
  }

  void close() {
    const Frame frame = top();
    depth_ -= frame.chain + std::size_t{1};
    --open_;
    in_.advance();
    operand_expected_ = false;
    argument_head_ = false;
    postfix_ = frame.outer_postfix;
    test_argument_ = frame.outer_test_argument;
  }

  void expect_operand() {
    operand_expected_ = true;
    not_allowed_ = true;
    argument_head_ = false;
  }

  // ---- behind an operand

  void behind_operand() {
    if (postfix_ && in_.is_operation(".")) return attribute();
    if (postfix_ && in_.is_operation("[")) return open(FrameKind::subscript, TokenRole::subscript_open);
    if (in_.is_operation("(")) return open(FrameKind::call, TokenRole::call_open);
    if (test_argument_) {
      test_argument_ = false;
      postfix_ = false;
    }
    if (in_.is_operation("|")) {
      in_.advance();
      return filter();
    }
    if (open_ == 0 && filters_only_) return leave();
    if (in_.is_name("is")) return test();
    if (in_.kind() == TokenKind::name) return word_operator();
    if (in_.kind() == TokenKind::operation) return sign_operator();
    leave();
  }

  void attribute() {
    in_.advance();
    if (in_.kind() != TokenKind::name && in_.kind() != TokenKind::integer)
      return in_.fail(TemplateProblem::name_expected);
    in_.advance(TokenRole::attribute);
  }

  void filter() {
    take_dotted_name(TokenRole::filter);
    if (!in_.ok()) return;
    postfix_ = false;
    if (in_.is_operation("(")) open(FrameKind::call, TokenRole::call_open);
  }

  void test() {
    in_.advance(TokenRole::word);
    if (in_.is_name("not")) in_.advance(TokenRole::word);
    take_dotted_name(TokenRole::test);
    if (!in_.ok()) return;
    postfix_ = false;
    if (in_.is_operation("(")) return open(FrameKind::call, TokenRole::call_open);
    if (!begins_test_argument()) return;
    if (in_.is_name("is")) return in_.fail(TemplateProblem::unexpected_token);
    test_argument_ = true;
    operand_expected_ = true;
    not_allowed_ = false;
  }

  // `x is divisibleby 3`: a single operand may follow without brackets.
  [[nodiscard]] bool begins_test_argument() const {
    switch (in_.kind()) {
      case TokenKind::name:
        return !in_.is_name("else") && !in_.is_name("or") && !in_.is_name("and");
      case TokenKind::string:
      case TokenKind::integer:
      case TokenKind::real:
        return true;
      default:
        return in_.is_operation("[") || in_.is_operation("{");
    }
  }

  void take_dotted_name(TokenRole role) {
    for (;;) {
      if (in_.kind() != TokenKind::name) return in_.fail(TemplateProblem::name_expected);
      in_.advance(role);
      if (!in_.is_operation(".")) return;
      in_.advance();
    }
  }

  void word_operator() {
    if (in_.is_name("and") || in_.is_name("or")) {
      in_.advance(TokenRole::word);
      return expect_operand();
    }
    const bool is_not_in = in_.is_name("not") && in_.is_name("in", 1);
    if (in_.is_name("in") || is_not_in) {
      if (is_not_in) in_.advance(TokenRole::word);
      in_.advance(TokenRole::word);
      expect_operand();
      not_allowed_ = false;
      return;
    }
    Frame& frame = top();
    if (in_.is_name("if") && frame.condition) {
      frame.condition_pending = true;
      in_.advance(TokenRole::word);
      return expect_operand();
    }
    if (in_.is_name("else") && frame.condition_pending) {
      frame.condition_pending = false;
      in_.advance(TokenRole::word);
      expect_operand();
      return deeper();
    }
    leave();
  }

  void sign_operator() {
    Frame& frame = top();
    if (in_.is_operation(",") && frame.tuple) return comma(frame);
    if (in_.is_operation(":") && frame.kind == FrameKind::dict && !frame.in_value) {
      frame.in_value = true;
      frame.condition_pending = false;
      in_.advance();
      return expect_operand();
    }
    if (in_.is_operation(":") && frame.kind == FrameKind::subscript) return slice_colon();
    if (closes(frame)) {
      if (frame.kind == FrameKind::dict && !frame.in_value)
        return in_.fail(TemplateProblem::unexpected_token);
      return close();
    }
    constexpr std::array kBinary{"+"sv, "-"sv,  "*"sv,  "/"sv, "//"sv, "%"sv, "**"sv,
                                 "~"sv, "=="sv, "!="sv, "<"sv, "<="sv, ">"sv, ">="sv};
    if (std::find(kBinary.begin(), kBinary.end(), in_.word()) == kBinary.end()) return leave();
    in_.advance();
    expect_operand();
    not_allowed_ = false;
  }

  void comma(Frame& frame) {
    if (frame.kind == FrameKind::dict && !frame.in_value) return in_.fail(TemplateProblem::unexpected_token);
    in_.advance();
    depth_ -= frame.chain;
    frame.chain = 0;
    frame.condition_pending = false;
    frame.in_value = false;
    frame.colons = 0;
    frame.after_comma = true;
    frame.closable = frame.kind != FrameKind::subscript;
    expect_operand();
    argument_head_ = frame.kind == FrameKind::call;
  }

  void leave() {
    if (open_ == 0)
      done_ = true;
    else
      in_.fail(TemplateProblem::unexpected_token);
  }

  TemplateCursor& in_;
  std::array<Frame, kTemplateDepthMax + 1> frames_{};
  std::size_t open_ = 0;   // the innermost frame
  std::size_t depth_ = 0;  // how deep a recursive parser would be
  bool operand_expected_ = true;
  bool not_allowed_ = true;     // "not" is an operator here
  bool argument_head_ = false;  // an argument of a call begins here
  bool postfix_ = false;        // . and [ may follow
  bool filters_only_ = false;   // the expression is a chain of filters
  bool test_argument_ = false;  // the operand is the argument of a test: nothing but . [ ( may follow it
  bool done_ = false;
};

}  // namespace

void parse_expression(TemplateCursor& cursor, ExpressionForm form) { Expression(cursor, form).run(); }

void parse_filter(TemplateCursor& cursor) {
  for (;;) {
    if (cursor.kind() != TokenKind::name) return cursor.fail(TemplateProblem::name_expected);
    cursor.advance(TokenRole::filter);
    if (!cursor.is_operation(".")) break;
    cursor.advance();
  }
}

}  // namespace ggufvet
