#include "ggufvet/rules/template_parser.h"

#include <algorithm>
#include <array>

#include "ggufvet/rules/template_expression.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

struct BlockTag {
  std::string_view begin;
  std::string_view end;
};

constexpr std::array<BlockTag, 10> kBlockTags{{{"for", "endfor"},
                                               {"if", "endif"},
                                               {"block", "endblock"},
                                               {"macro", "endmacro"},
                                               {"call", "endcall"},
                                               {"filter", "endfilter"},
                                               {"set", "endset"},
                                               {"with", "endwith"},
                                               {"autoescape", "endautoescape"},
                                               {"generation", "endgeneration"}}};

[[nodiscard]] const BlockTag* find_block_by_end(std::string_view end) {
  const auto found = std::find_if(kBlockTags.begin(), kBlockTags.end(),
                                  [end](const BlockTag& tag) { return tag.end == end; });
  return found == kBlockTags.end() ? nullptr : &*found;
}

struct OpenBlock {
  const BlockTag* tag = nullptr;
  std::uint32_t last_tag = 0;  // token of its latest if, elif or else
  bool else_seen = false;
  std::string_view name;  // of {% block name %}
};

class Parser {
 public:
  Parser(std::string_view text, LexedTemplate& lexed) : in_(text, lexed) {}

  void run() {
    while (in_.ok() && !in_.at_end()) {
      switch (in_.kind()) {
        case TokenKind::output_begin:
          output();
          break;
        case TokenKind::tag_begin:
          in_.advance();
          tag();
          break;
        default:
          in_.advance();
      }
    }
    if (in_.ok() && !blocks_.empty()) in_.fail_at(TemplateProblem::tag_unclosed, blocks_.back().last_tag);
  }

 private:
  void output() {
    in_.advance();
    parse_expression(in_, {.tuple = true});
    if (!in_.ok()) return;
    if (in_.kind() != TokenKind::output_end) return in_.fail(TemplateProblem::unexpected_token);
    in_.advance();
  }

  void tag() {
    if (in_.kind() != TokenKind::name) return in_.fail(TemplateProblem::name_expected);
    const std::string_view name = in_.word();
    const auto index = static_cast<std::uint32_t>(in_.at());
    in_.advance(TokenRole::tag);
    if (name == "elif"sv || name == "else"sv)
      middle(name, index);
    else if (const BlockTag* const ended = find_block_by_end(name))
      end_block(*ended, index);
    else
      begin_tag(name, index);
    if (!in_.ok()) return;
    if (in_.kind() != TokenKind::tag_end) return in_.fail(TemplateProblem::unexpected_token);
    in_.advance();
  }

  // ---- tags that go on with or end a block

  void middle(std::string_view name, std::uint32_t index) {
    const bool in_if = !blocks_.empty() && blocks_.back().tag->begin == "if"sv;
    const bool in_for = !blocks_.empty() && blocks_.back().tag->begin == "for"sv;
    const bool fits = (in_if || (in_for && name == "else"sv)) && !blocks_.back().else_seen;
    if (!fits) return in_.fail_at(TemplateProblem::tag_without_begin, index);
    chain(index);
    if (name == "elif"sv) parse_expression(in_, {.tuple = true, .condition = false});
    blocks_.back().else_seen = name == "else"sv;
    skip_colon();
  }

  void end_block(const BlockTag& ended, std::uint32_t index) {
    if (blocks_.empty() || blocks_.back().tag != &ended)
      return in_.fail_at(TemplateProblem::tag_without_begin, index);
    chain(index);
    if (!blocks_.back().name.empty() && in_.is_name(blocks_.back().name)) in_.advance();
    blocks_.pop_back();
  }

  // The latest tag of the innermost block leads to this one.
  void chain(std::uint32_t index) {
    in_.token(blocks_.back().last_tag).link = index;
    blocks_.back().last_tag = index;
  }

  // ---- tags that begin something

  void begin_tag(std::string_view name, std::uint32_t index) {
    if (name == "break"sv || name == "continue"sv) return loop_control(index);
    if (name == "print"sv) return parse_expression(in_, {.tuple = true});
    if (name == "import"sv || name == "from"sv || name == "include"sv || name == "extends"sv)
      return skip_to_end();
    const auto found = std::find_if(kBlockTags.begin(), kBlockTags.end(),
                                    [name](const BlockTag& tag) { return tag.begin == name; });
    if (found == kBlockTags.end()) return in_.fail_at(TemplateProblem::tag_unknown, index);
    if (blocks_.size() == kTemplateDepthMax) return in_.fail_at(TemplateProblem::too_deep, index);
    blocks_.push_back({&*found, index, false, {}});
    head(name);
  }

  void head(std::string_view name) {
    if (name == "for"sv) return for_head();
    if (name == "if"sv) {
      parse_expression(in_, {.tuple = true, .condition = false});
      return skip_colon();
    }
    if (name == "set"sv) return set_head();
    if (name == "macro"sv) return macro_head();
    if (name == "call"sv) return call_head();
    if (name == "block"sv) return block_head();
    if (name == "with"sv) return with_head();
    if (name == "filter"sv) {
      parse_filter(in_);
      if (in_.ok()) parse_expression(in_, {.filters_only = true});
    } else if (name == "autoescape"sv) {
      parse_expression(in_, {});
    }
    skip_colon();
  }

  void for_head() {
    targets();
    if (!in_.ok()) return;
    if (!in_.is_name("in")) return in_.fail(TemplateProblem::unexpected_token);
    in_.advance(TokenRole::word);
    parse_expression(in_, {.tuple = true, .condition = false});
    if (in_.ok() && in_.is_name("if")) {
      in_.advance(TokenRole::word);
      parse_expression(in_, {});
    }
    if (in_.ok() && in_.is_name("recursive")) in_.advance(TokenRole::word);
    skip_colon();
  }

  // `set x = …` is complete; `set x` and `set x | trim` begin a block.
  void set_head() {
    if (in_.kind() == TokenKind::name && in_.is_operation(".", 1)) {
      in_.advance(TokenRole::target);
      in_.advance();
      if (in_.kind() != TokenKind::name) return in_.fail(TemplateProblem::name_expected);
      in_.advance(TokenRole::attribute);
    } else {
      targets();
    }
    if (!in_.ok()) return;
    if (in_.is_operation("=")) {
      in_.advance();
      blocks_.pop_back();
      return parse_expression(in_, {.tuple = true});
    }
    parse_expression(in_, {.filters_only = true});
    skip_colon();
  }

  void macro_head() {
    if (in_.kind() != TokenKind::name) return in_.fail(TemplateProblem::name_expected);
    in_.advance(TokenRole::target);
    if (!in_.is_operation("(")) return in_.fail(TemplateProblem::unexpected_token);
    parameters();
    skip_colon();
  }

  void call_head() {
    if (in_.is_operation("(")) parameters();
    if (!in_.ok()) return;
    const std::size_t begin = in_.at();
    parse_expression(in_, {});
    if (in_.ok() && (in_.at() == begin || in_.token(in_.at() - 1).link == 0 ||
                     in_.token(in_.token(in_.at() - 1).link).role != TokenRole::call_open))
      in_.fail_at(TemplateProblem::call_expected, begin);
    skip_colon();
  }

  void block_head() {
    if (in_.kind() != TokenKind::name) return in_.fail(TemplateProblem::name_expected);
    blocks_.back().name = in_.word();
    in_.advance(TokenRole::target);
    if (in_.is_name("scoped")) in_.advance(TokenRole::word);
    if (in_.is_name("required")) in_.advance(TokenRole::word);
    skip_colon();
  }

  void with_head() {
    while (in_.ok() && !in_.ends_span() && !in_.is_operation(":")) {
      targets();
      if (!in_.ok()) return;
      if (!in_.is_operation("=")) return in_.fail(TemplateProblem::unexpected_token);
      in_.advance();
      parse_expression(in_, {});
      if (!in_.ok() || !in_.is_operation(",")) break;
      in_.advance();
      if (in_.ends_span()) return in_.fail(TemplateProblem::target_expected);
    }
    skip_colon();
  }

  // (a, b=1): names, those with a default last.
  void parameters() {
    in_.advance(TokenRole::group_open);
    bool default_seen = false;
    for (bool first = true; in_.ok() && !in_.is_operation(")"); first = false) {
      if (!first) {
        if (!in_.is_operation(",")) return in_.fail(TemplateProblem::unexpected_token);
        in_.advance();
      }
      if (!takes_target()) return in_.fail(TemplateProblem::target_expected);
      in_.advance(TokenRole::target);
      if (in_.is_operation("=")) {
        in_.advance();
        default_seen = true;
        parse_expression(in_, {});
      } else if (default_seen) {
        return in_.fail(TemplateProblem::argument_order);
      }
    }
    if (in_.ok()) in_.advance();
  }

  [[nodiscard]] bool takes_target() const {
    constexpr std::array kNot{"true"sv, "false"sv, "none"sv, "True"sv, "False"sv, "None"sv};
    return in_.kind() == TokenKind::name && std::find(kNot.begin(), kNot.end(), in_.word()) == kNot.end();
  }

  // a, (b, c): names and tuples of names. Brackets are counted, since their pairs were matched by the lexer.
  void targets() {
    std::size_t depth = 0;
    bool name_expected = true;
    for (std::size_t count = 0; in_.ok(); ++count) {
      if (name_expected && in_.is_operation("(")) {
        ++depth;
        in_.advance(TokenRole::group_open);
      } else if (name_expected && takes_target() && !(count > 0 && depth == 0 && in_.is_name("in"))) {
        in_.advance(TokenRole::target);
        name_expected = false;
      } else if (!name_expected && in_.is_operation(",")) {
        in_.advance();
        name_expected = true;
      } else if (depth > 0 && in_.is_operation(")")) {
        --depth;
        in_.advance();
        name_expected = false;
      } else {
        if (count == 0 || depth > 0) in_.fail(TemplateProblem::target_expected);
        return;
      }
    }
  }

  void loop_control(std::uint32_t index) {
    const bool in_loop = std::any_of(blocks_.begin(), blocks_.end(),
                                     [](const OpenBlock& block) { return block.tag->begin == "for"sv; });
    if (!in_loop) in_.fail_at(TemplateProblem::outside_loop, index);
  }

  void skip_to_end() {
    while (!in_.ends_span()) in_.advance();
  }

  // Jinja2 takes a colon at the end of a tag that begins a block.
  void skip_colon() {
    if (in_.ok() && in_.is_operation(":")) in_.advance();
  }

  TemplateCursor in_;
  std::vector<OpenBlock> blocks_;
};

}  // namespace

void parse_template(std::string_view text, LexedTemplate& lexed) { Parser(text, lexed).run(); }

}  // namespace ggufvet
