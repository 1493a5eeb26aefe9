// Numbers in a template that make a renderer turn or allocate without an end worth waiting for.
#include "ggufvet/base/checked.h"
#include "ggufvet/rules/template_tokens.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

// Conversations have thousands of messages, not hundreds of thousands; Jinja2's own sandbox stops range()
// here.
constexpr std::uint64_t kTurnsMax = 100'000;
// Of text made by repeating or padding.
constexpr std::uint64_t kRepeatsMax = 1'000'000;
constexpr std::uint64_t kExponentMax = 64;
constexpr std::uint64_t kHuge = ~std::uint64_t{0};

// A whole number in any of Jinja2's spellings; kHuge when it does not fit.
[[nodiscard]] std::uint64_t integer_value(std::string_view digits) {
  std::uint64_t base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (base != 10) digits.remove_prefix(2);
  }
  std::uint64_t value = 0;
  for (const char letter : digits) {
    if (letter == '_') continue;
    const char lower = static_cast<char>(letter | 0x20);
    const std::uint64_t digit = letter <= '9' ? static_cast<std::uint64_t>(letter - '0')
                                              : static_cast<std::uint64_t>(lower - 'a' + 10);
    const auto scaled = checked_mul(value, base);
    const auto sum = scaled ? checked_add(*scaled, digit) : std::nullopt;
    if (!sum) return kHuge;
    value = *sum;
  }
  return value;
}

[[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return checked_mul(a, std::max<std::uint64_t>(b, 1)).value_or(kHuge);
}

class LoopScan {
 public:
  LoopScan(const TemplateTokens& tokens, MarkSink& sink) : tokens_(tokens), sink_(sink) {}

  void run() {
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
      if (tokens_.is_tag(index, "for")) enter_loop(index);
      if (is_ranged_call(index)) ranged_call(index);
      if (tokens_.is_sign(index, "*")) repetition(index);
      if (tokens_.is_sign(index, "**")) power(index);
    }
  }

 private:
  // Calls whose number is a count of turns or letters.
  [[nodiscard]] bool is_ranged_call(std::size_t index) const {
    if (!tokens_.is_called(index)) return false;
    constexpr std::array kNames{"range"sv, "lipsum"sv, "center"sv, "ljust"sv,
                                "rjust"sv, "zfill"sv,  "indent"sv};
    return std::find(kNames.begin(), kNames.end(), tokens_.word(index)) != kNames.end();
  }

  // The largest number there, or the product when numbers are multiplied.
  [[nodiscard]] std::uint64_t number_inside(TokenRange range) const {
    std::uint64_t largest = 0;
    std::uint64_t all = 1;
    bool multiplied = false;
    for (std::size_t index = range.begin; index < range.end; ++index) {
      multiplied |= tokens_.is_sign(index, "*");
      if (tokens_.kind(index) == TokenKind::integer) {
        const std::uint64_t value = integer_value(tokens_.word(index));
        largest = std::max(largest, value);
        all = product(all, value);
      }
      // What stands in brackets of its own counts on its own turn.
      if (tokens_.role(index) == TokenRole::call_open)
        index = std::max<std::size_t>(tokens_[index].link, index);
    }
    return multiplied ? std::max(largest, all) : largest;
  }

  void ranged_call(std::size_t index) {
    const std::uint64_t turns = number_inside(tokens_.inside(index + 1));
    if (turns > kTurnsMax) sink_.add(TemplateMark::endless_loop, tokens_[index], turns);
  }

  // Loops over range() inside one another multiply their turns.
  void enter_loop(std::size_t tag) {
    while (open_ > 0 && loops_[open_ - 1].end <= tag) --open_;
    if (open_ == loops_.size()) return;
    std::size_t end = tag;
    while (tokens_[end].link > end) end = tokens_[end].link;
    std::uint64_t turns = open_ > 0 ? loops_[open_ - 1].turns : 1;
    const std::size_t head_end = tokens_.span_end(tag);
    for (std::size_t index = tag; index < head_end; ++index)
      if (tokens_.word(index) == "range"sv && tokens_.is_called(index))
        turns = product(turns, number_inside(tokens_.inside(index + 1)));
    const bool crossed = turns > kRepeatsMax && (open_ == 0 || loops_[open_ - 1].turns <= kRepeatsMax);
    if (crossed && open_ > 0) sink_.add(TemplateMark::endless_loop, tokens_[tag], turns);
    loops_[open_++] = {end, turns};
  }

  void repetition(std::size_t sign) {
    for (const std::size_t side : {sign - 1, sign + 1}) {
      if (tokens_.kind(side) != TokenKind::integer) continue;
      const std::uint64_t count = integer_value(tokens_.word(side));
      if (count > kRepeatsMax) return sink_.add(TemplateMark::endless_loop, tokens_[sign], count);
    }
  }

  // 9**9**9 takes all memory there is before it prints a digit.
  void power(std::size_t sign) {
    const bool chained = tokens_.is_sign(sign + 2, "**");
    const std::uint64_t exponent =
        tokens_.kind(sign + 1) == TokenKind::integer ? integer_value(tokens_.word(sign + 1)) : 0;
    if (chained || exponent > kExponentMax) sink_.add(TemplateMark::endless_loop, tokens_[sign], exponent);
  }

  struct OpenLoop {
    std::size_t end = 0;      // its endfor
    std::uint64_t turns = 1;  // of its body in all
  };

  const TemplateTokens& tokens_;
  MarkSink& sink_;
  std::array<OpenLoop, kTemplateDepthMax> loops_{};
  std::size_t open_ = 0;
};

}  // namespace

void scan_loops(const TemplateTokens& tokens, MarkSink& sink) { LoopScan(tokens, sink).run(); }

}  // namespace ggufvet
