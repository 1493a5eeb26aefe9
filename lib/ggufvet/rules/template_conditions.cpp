// Branches that a message's words or the day's date open. What a template says on such a branch, its user
// never asked for and may never see. A guess by shape: it can be told that a branch exists and that a
// sentence stands in it, not what the sentence wants.
#include "ggufvet/rules/template_tokens.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

// Words of two letters and more that make a sentence rather than a marker.
constexpr std::size_t kSentenceWordsMin = 4;

[[nodiscard]] bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         static_cast<unsigned char>(letter) >= 0x80;
}

// Words between blanks, with punctuation behind or quotes around them; what holds markup is none.
[[nodiscard]] std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  std::size_t letters = 0;
  bool plain = true;
  const auto finish = [&] {
    if (plain && letters >= 2) ++words;
    letters = 0;
    plain = true;
  };
  for (const char letter : text) {
    if (letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r')
      finish();
    else if (is_letter(letter))
      ++letters;
    else if ("<>|{}[]_\\=#"sv.find(letter) != std::string_view::npos)
      plain = false;
  }
  finish();
  return words;
}

class ConditionScan {
 public:
  ConditionScan(const TemplateTokens& tokens, MarkSink& sink) : tokens_(tokens), sink_(sink) {}

  void run() {
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
      if (tokens_.role(index) == TokenRole::target) follow_target(index);
      if (tokens_.is_tag(index, "if") || tokens_.is_tag(index, "elif"))
        branch(index);
      else if (tokens_.is_word(index, "if"))
        inline_branch(index);
    }
  }

 private:
  // ---- what holds a message's words, what holds a date

  [[nodiscard]] bool is_content(std::size_t index) const {
    const std::string_view word = tokens_.word(index);
    switch (tokens_.role(index)) {
      case TokenRole::variable:
        return word == "content"sv || content_names_.contains(word);
      case TokenRole::attribute:
        return word == "content"sv || word == "text"sv;
      default:
        return is_content_key(index);
    }
  }
  // m['content'], m.get('content')
  [[nodiscard]] bool is_content_key(std::size_t index) const {
    if (index == 0 || tokens_.kind(index) != TokenKind::string) return false;
    const std::string_view word = tokens_.word(index).substr(1, tokens_.word(index).size() - 2);
    if (word != "content"sv && word != "text"sv) return false;
    return tokens_.role(index - 1) == TokenRole::subscript_open ||
           (tokens_.role(index - 1) == TokenRole::call_open && tokens_.word(index - 2) == "get"sv);
  }
  [[nodiscard]] bool is_date(std::size_t index) const {
    if (tokens_.role(index) != TokenRole::variable) return false;
    return (tokens_.word(index) == "strftime_now"sv && tokens_.is_called(index)) ||
           date_names_.contains(tokens_.word(index));
  }

  // A name that is set from such a value, or runs over it, holds one too.
  void follow_target(std::size_t target) {
    std::size_t index = target + 1;
    const std::size_t end = tokens_.span_end(target);
    while (index < end && !tokens_.is_sign(index, "=") && !tokens_.is_word(index, "in")) {
      if (tokens_.role(index) == TokenRole::target || tokens_.role(index) == TokenRole::attribute) return;
      ++index;
    }
    for (++index; index < end && tokens_.role(index) != TokenRole::target; ++index) {
      if (is_content(index)) content_names_.insert(tokens_.word(target));
      if (is_date(index)) date_names_.insert(tokens_.word(target));
    }
  }

  // ---- conditions

  [[nodiscard]] bool separates(std::size_t index) const {
    return tokens_.is_word(index, "and") || tokens_.is_word(index, "or") || tokens_.is_word(index, "if") ||
           tokens_.is_word(index, "else");
  }

  [[nodiscard]] bool compares(std::size_t index) const {
    constexpr std::array kMethods{"startswith"sv, "endswith"sv, "find"sv, "rfind"sv,
                                  "index"sv,      "count"sv,    "split"sv};
    if (tokens_.role(index) == TokenRole::attribute)
      return std::find(kMethods.begin(), kMethods.end(), tokens_.word(index)) != kMethods.end();
    return tokens_.is_word(index, "in") || orders(index);
  }
  [[nodiscard]] bool orders(std::size_t index) const {
    if (tokens_.kind(index) != TokenKind::operation) return false;
    constexpr std::array kSigns{"=="sv, "!="sv, "<"sv, "<="sv, ">"sv, ">="sv};
    return std::find(kSigns.begin(), kSigns.end(), tokens_.word(index)) != kSigns.end();
  }

  struct Question {
    bool content = false;
    bool date = false;
  };
  // Does a part of the condition compare content, or a date, with something written out?
  [[nodiscard]] Question question_in(TokenRange range) const {
    Question found;
    bool content = false;
    bool date = false;
    bool words = false;
    bool constant = false;
    bool compared = false;
    const auto finish = [&] {
      found.content |= content && words && compared;
      found.date |= date && constant && compared;
      content = date = words = constant = compared = false;
    };
    for (std::size_t index = range.begin; index < range.end; ++index) {
      if (separates(index)) {
        finish();
        continue;
      }
      compared |= compares(index);
      if (is_content(index)) {
        content = true;
      } else if (tokens_.kind(index) == TokenKind::string) {
        const std::string_view literal = tokens_.word(index);
        words |= std::any_of(literal.begin(), literal.end(), is_letter);
        constant = true;
      } else if (tokens_.kind(index) == TokenKind::integer) {
        constant = true;
      }
      if (!is_date(index)) continue;
      date = true;
      // The format that the date is asked for in is no constant to compare with.
      if (tokens_.is_called(index)) index = std::max<std::size_t>(tokens_[index + 1].link, index);
    }
    finish();
    return found;
  }
  void branch(std::size_t tag) {
    const std::size_t head_end = tokens_.span_end(tag);
    report({tag, head_end}, question_in({tag + 1, head_end}),
           {head_end + 1, std::max<std::size_t>(tokens_[tag].link, head_end)});
  }

  void inline_branch(std::size_t word) {
    std::size_t begin = word;
    while (begin > 0 && tokens_.kind(begin) != TokenKind::output_begin &&
           tokens_.kind(begin) != TokenKind::tag_begin && word - begin < kInlineTokensMax)
      --begin;
    if (tokens_.is_tag(begin + 1, "for")) return;
    std::size_t end = word;
    while (end < tokens_.size() && tokens_.kind(end) != TokenKind::output_end &&
           tokens_.kind(end) != TokenKind::tag_end && end - word < kInlineTokensMax)
      ++end;
    std::size_t condition_end = word + 1;
    while (condition_end < end && !tokens_.is_word(condition_end, "else")) ++condition_end;
    report({word, condition_end}, question_in({word + 1, condition_end}), {begin, end});
  }

  // `head`: from the word `if` to the end of its condition.
  void report(TokenRange head, Question question, TokenRange body) {
    const TemplateToken& last = tokens_[head.end - 1];
    const auto mark = [&](TemplateMark kind) {
      sink_.add(kind, tokens_[head.begin].begin, last.begin + last.bytes);
    };
    if (question.date) mark(TemplateMark::date_condition);
    if (question.content && says_sentence(body)) mark(TemplateMark::content_condition);
  }

  // Text or a literal in the body, but for what an error says.
  [[nodiscard]] bool says_sentence(TokenRange body) {
    for (std::size_t index = body.begin; index < body.end; ++index) {
      const std::size_t cost = 1 + tokens_.word(index).size();
      if (cost > bytes_left_) return false;
      bytes_left_ -= cost;
      if (tokens_.word(index) == "raise_exception"sv && tokens_.is_called(index)) {
        index = std::max<std::size_t>(tokens_[index + 1].link, index);
        continue;
      }
      const TokenKind kind = tokens_.kind(index);
      if ((kind == TokenKind::text || kind == TokenKind::string) &&
          count_words(tokens_.word(index)) >= kSentenceWordsMin)
        return true;
    }
    return false;
  }

  static constexpr std::size_t kInlineTokensMax = 256;

  const TemplateTokens& tokens_;
  MarkSink& sink_;
  NameSet content_names_;
  NameSet date_names_;
  // Bodies lie inside one another, so their text is read again and again; past this it is no longer read. A
  // template of ordinary size stays below it however its branches nest.
  std::size_t bytes_left_ = 64 * kTemplateBytesMax;
};

}  // namespace

void scan_conditions(const TemplateTokens& tokens, MarkSink& sink) { ConditionScan(tokens, sink).run(); }

}  // namespace ggufvet
