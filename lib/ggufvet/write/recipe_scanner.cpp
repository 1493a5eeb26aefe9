#include "ggufvet/write/recipe_scanner.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "ggufvet/write/quoted_text.h"

namespace ggufvet {
namespace {

[[nodiscard]] bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

[[nodiscard]] bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || is_digit(letter) ||
         letter == '_' || letter == '.' || letter == ':' || letter == '/' || letter == '-';
}

[[nodiscard]] bool is_hex_digit(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

// Whole bytes only, which is why no word of the language (f32, fill, zeros …) is taken for one.
[[nodiscard]] bool is_hex_word(std::string_view word) {
  return !word.empty() && word.size() % 2 == 0 && std::all_of(word.begin(), word.end(), is_hex_digit);
}

[[nodiscard]] std::uint64_t mask_of(std::uint32_t bytes) {
  return bytes >= 8 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << (8 * bytes)) - 1;
}

[[nodiscard]] bool is_float(ValueType type) { return type == ValueType::f32 || type == ValueType::f64; }

}  // namespace

void RecipeScanner::fail(std::string message) {
  if (!ok()) return;
  error_ = std::move(message);
  rest_ = {};
}

bool RecipeScanner::at_end() {
  const std::size_t begin = rest_.find_first_not_of(" \t\r");
  rest_ = begin == std::string_view::npos ? std::string_view{} : rest_.substr(begin);
  if (!rest_.empty() && rest_.front() == '#') rest_ = {};
  return rest_.empty();
}

void RecipeScanner::end() {
  if (ok() && !at_end()) fail("not understood from here: " + quoted(rest_.substr(0, 40)));
}

std::string_view RecipeScanner::take_rest() {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = rest_.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  const std::string_view words = rest_.substr(begin, rest_.find_last_not_of(kBlanks) + 1 - begin);
  rest_ = {};
  return words;
}

bool RecipeScanner::next_is(char letter) { return !at_end() && rest_.front() == letter; }

bool RecipeScanner::take(char letter) {
  if (!next_is(letter)) return false;
  rest_.remove_prefix(1);
  return true;
}

void RecipeScanner::expect(char letter) {
  if (ok() && !take(letter)) fail(std::string("expected ") + letter);
}

std::string_view RecipeScanner::peek_word() {
  if (at_end()) return {};
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_word_letter);
  return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
}

std::string_view RecipeScanner::word() {
  const std::string_view word = peek_word();
  if (word.empty()) fail("expected a word");
  if (ok()) rest_.remove_prefix(word.size());
  return ok() ? word : std::string_view{};
}

bool RecipeScanner::take_word(std::string_view wanted) {
  if (peek_word() != wanted) return false;
  rest_.remove_prefix(wanted.size());
  return true;
}

bool RecipeScanner::take_prefix(std::string_view wanted) {
  if (at_end() || !rest_.starts_with(wanted)) return false;
  rest_.remove_prefix(wanted.size());
  return true;
}

std::string RecipeScanner::label() {
  bool in_quotes = false;
  std::size_t end = 0;
  for (; end < rest_.size(); ++end) {
    if (in_quotes && rest_[end] == '\\') {
      ++end;
      continue;
    }
    if (rest_[end] == '"') in_quotes = !in_quotes;
    if (!in_quotes && (rest_[end] == ' ' || rest_[end] == '\t' || rest_[end] == '\r')) break;
  }
  end = std::min(end, rest_.size());
  const std::string label(rest_.substr(0, end));
  if (label.empty()) fail("expected a label");
  if (ok()) rest_.remove_prefix(end);
  return label;
}

bool RecipeScanner::take_attribute(std::string_view name) {
  if (peek_word() != name || rest_.size() == name.size() || rest_[name.size()] != '=') return false;
  rest_.remove_prefix(name.size() + 1);
  return true;
}

std::uint64_t RecipeScanner::power_of_two(std::string_view exponent) {
  std::uint32_t bit = 0;
  const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), bit);
  if (error != std::errc{} || end != exponent.data() + exponent.size() || bit > 64) {
    fail("2^N needs an N of at most 64");
    return 0;
  }
  if (bit < 64) return std::uint64_t{1} << bit;
  ++carry_;
  return 0;
}

std::uint64_t RecipeScanner::term() {
  const bool hex = rest_.starts_with("0x");
  const std::string_view digits = hex ? rest_.substr(2) : rest_;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{}) {
    fail("expected a number that fits 64 bits");
    return 0;
  }
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  if (value != 2 || hex || !rest_.starts_with('^')) return value;
  rest_.remove_prefix(1);
  const auto exponent_end = std::find_if_not(rest_.begin(), rest_.end(), is_digit);
  const std::string_view exponent = rest_.substr(0, static_cast<std::size_t>(exponent_end - rest_.begin()));
  rest_.remove_prefix(exponent.size());
  return power_of_two(exponent);
}

std::uint64_t RecipeScanner::number() {
  if (!ok() || at_end()) {
    fail("expected a number");
    return 0;
  }
  carry_ = 0;
  std::uint64_t sum = term();
  while (ok() && rest_.size() > 1 && (rest_[0] == '+' || rest_[0] == '-') && is_digit(rest_[1])) {
    const bool minus = rest_[0] == '-';
    rest_.remove_prefix(1);
    const std::uint64_t value = term();
    if (minus && value > sum) --carry_;
    sum = minus ? sum - value : sum + value;
    if (!minus && sum < value) ++carry_;
  }
  if (ok() && carry_ != 0) fail("the number does not fit 64 bits");
  return ok() ? sum : 0;
}

std::uint64_t RecipeScanner::number_at_most(std::uint64_t value_max) {
  const std::uint64_t value = number();
  if (value > value_max) fail("the number must be at most " + std::to_string(value_max));
  return ok() ? value : 0;
}

std::optional<std::uint64_t> RecipeScanner::attribute(std::string_view name) {
  if (!take_attribute(name)) return std::nullopt;
  const std::uint64_t value = number();
  return ok() ? std::optional(value) : std::nullopt;
}

std::string RecipeScanner::text() {
  std::string all;
  do {
    if (at_end()) break;
    auto piece = take_quoted(rest_);
    if (!piece) {
      fail("expected a text in quotes");
      return {};
    }
    std::uint64_t times = 1;
    if (rest_.starts_with('{')) {
      rest_.remove_prefix(1);
      times = number();
      expect('}');
    }
    if (!piece->empty() && times > budget_.bytes_left) fail("the text is too long");
    if (!ok() || !spend(piece->size() * (piece->empty() ? 0 : times))) return {};
    for (std::uint64_t time = 0; !piece->empty() && time < times; ++time) all += *piece;
    if (!rest_.starts_with('+')) return all;
    rest_.remove_prefix(1);
  } while (ok());
  fail("expected a text in quotes");
  return {};
}

TextSpec RecipeScanner::counted_text() {
  TextSpec text(this->text());
  text.length = attribute("length");
  return text;
}

double RecipeScanner::real() {
  const bool minus = rest_.starts_with('-');
  if (minus) rest_.remove_prefix(1);
  double value = 0;
  // Also takes inf and nan.
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{}) {
    fail("expected a number");
    return 0;
  }
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return minus ? -value : value;
}

std::uint64_t RecipeScanner::scalar(const ValueTypeInfo& type) {
  if (!ok() || at_end()) {
    fail("expected a value");
    return 0;
  }
  if (type.type == ValueType::boolean && take_word("true")) return 1;
  if (type.type == ValueType::boolean && take_word("false")) return 0;
  if (is_float(type.type) && !rest_.starts_with("0x")) {
    const double value = real();
    if (type.type == ValueType::f64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  const std::uint64_t mask = mask_of(type.bytes);
  if (take('-')) {
    const std::uint64_t magnitude = number();
    if (magnitude > mask / 2 + 1) fail("the number does not fit its type");
    return (std::uint64_t{0} - magnitude) & mask;
  }
  const std::uint64_t value = number();
  if (value > mask) fail("the number does not fit its type");
  return value & mask;
}

bool RecipeScanner::spend(std::uint64_t bytes) {
  if (bytes > budget_.bytes_left) {
    fail("the recipe asks for more bytes than a recipe may");
    return false;
  }
  budget_.bytes_left -= bytes;
  return ok();
}

void RecipeScanner::hex_bytes(Bytes& out) {
  std::string_view digits = peek_word();
  if (!is_hex_word(digits)) fail("expected bytes in hexadecimal");
  while (ok() && is_hex_word(digits)) {
    for (std::size_t at = 0; at < digits.size(); at += 2) {
      std::uint8_t value = 0;
      static_cast<void>(std::from_chars(digits.data() + at, digits.data() + at + 2, value, 16));
      out.push_back(static_cast<std::byte>(value));
    }
    rest_.remove_prefix(digits.size());
    digits = peek_word();
  }
}

// One part; false when none stands there.
bool RecipeScanner::byte_part(Bytes& out) {
  if (take_word("hex")) {
    hex_bytes(out);
  } else if (take_word("text")) {
    const Bytes text_bytes = bytes_of(text());
    out.insert(out.end(), text_bytes.begin(), text_bytes.end());
  } else if (take_word("zeros")) {
    const std::uint64_t count = number();
    if (spend(count)) out.resize(out.size() + static_cast<std::size_t>(count));
  } else if (take_word("fill")) {
    const auto value = static_cast<std::byte>(number_at_most(0xFF));
    const std::uint64_t count = number();
    if (spend(count)) out.resize(out.size() + static_cast<std::size_t>(count), value);
  } else if (const ValueTypeInfo* const type = find_value_type(peek_word());
             type != nullptr && type->bytes != 0) {
    rest_.remove_prefix(type->name.size());
    const std::uint64_t bits = scalar(*type);
    std::array<std::byte, 8> value{};
    store(value.data(), bits, ByteOrder::little);
    if (order_ == ByteOrder::big) std::reverse(value.begin(), value.begin() + type->bytes);
    out.insert(out.end(), value.begin(), value.begin() + type->bytes);
  } else {
    return false;
  }
  return ok();
}

Bytes RecipeScanner::bytes() {
  Bytes out;
  if (!byte_part(out)) fail("expected bytes: hex, text, zeros, fill or a number's type");
  while (ok() && byte_part(out)) {
  }
  return ok() ? out : Bytes{};
}

}  // namespace ggufvet
