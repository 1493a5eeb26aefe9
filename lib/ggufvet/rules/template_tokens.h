// Reading the tokens of a parsed template. Internal to the template scan.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "ggufvet/rules/template_scan.h"

namespace ggufvet {

struct TokenRange {  // [begin, end)
  std::size_t begin = 0;
  std::size_t end = 0;
};

class TemplateTokens {
 public:
  TemplateTokens(std::string_view text, const LexedTemplate& lexed) : text_(text), tokens_(lexed.tokens) {}

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const TemplateToken& operator[](std::size_t index) const { return tokens_[index]; }
  [[nodiscard]] std::string_view word(std::size_t index) const {
    return index < tokens_.size() ? text_.substr(tokens_[index].begin, tokens_[index].bytes)
                                  : std::string_view{};
  }
  [[nodiscard]] TokenRole role(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].role : TokenRole::none;
  }
  [[nodiscard]] TokenKind kind(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].kind : TokenKind::text;
  }
  [[nodiscard]] bool is_sign(std::size_t index, std::string_view sign) const {
    return kind(index) == TokenKind::operation && word(index) == sign;
  }
  [[nodiscard]] bool is_word(std::size_t index, std::string_view name) const {
    return role(index) == TokenRole::word && word(index) == name;
  }
  [[nodiscard]] bool is_tag(std::size_t index, std::string_view name) const {
    return role(index) == TokenRole::tag && word(index) == name;
  }
  [[nodiscard]] bool is_called(std::size_t index) const { return role(index + 1) == TokenRole::call_open; }
  // Inside the brackets that open here; empty when they were not closed.
  [[nodiscard]] TokenRange inside(std::size_t open) const {
    return {open + 1, std::max<std::size_t>(tokens_[open].link, open + 1)};
  }
  // The end of the span or tag that `index` lies in.
  [[nodiscard]] std::size_t span_end(std::size_t index) const {
    while (index < tokens_.size() && tokens_[index].kind != TokenKind::output_end &&
           tokens_[index].kind != TokenKind::tag_end)
      ++index;
    return index;
  }

 private:
  std::string_view text_;
  std::span<const TemplateToken> tokens_;
};

// Counts every mark, keeps the first of each kind.
class MarkSink {
 public:
  explicit MarkSink(ScannedTemplate& out) : out_(out) {}

  void add(TemplateMark mark, std::uint32_t begin, std::uint32_t end, std::uint64_t value = 0) {
    if (out_.counts[static_cast<std::size_t>(mark)]++ < kTemplateMarksMax)
      out_.marks.push_back({mark, begin, end, value});
  }
  void add(TemplateMark mark, const TemplateToken& token, std::uint64_t value = 0) {
    add(mark, token.begin, token.begin + token.bytes, value);
  }

 private:
  ScannedTemplate& out_;
};

// Names the template gives values to itself, at most kTemplateNamesMax of them: further ones count as not its
// own.
inline constexpr std::size_t kTemplateNamesMax = 1024;
class NameSet {
 public:
  void insert(std::string_view name) {
    const auto at = std::lower_bound(names_.begin(), names_.end(), name);
    if (at != names_.end() && *at == name) return;
    if (names_.size() < kTemplateNamesMax) names_.insert(at, name);
  }
  [[nodiscard]] bool contains(std::string_view name) const {
    return std::binary_search(names_.begin(), names_.end(), name);
  }

 private:
  std::vector<std::string_view> names_;
};

void scan_reach(const TemplateTokens& tokens, MarkSink& sink);
void scan_loops(const TemplateTokens& tokens, MarkSink& sink);
void scan_conditions(const TemplateTokens& tokens, MarkSink& sink);

}  // namespace ggufvet
