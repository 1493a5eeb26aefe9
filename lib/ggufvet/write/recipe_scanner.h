// Takes words, numbers, texts and bytes from one line of a recipe. It fails once and stays failed, like the
// cursor that reads files: after the first failure everything is empty or zero and nothing moves. Views into
// the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ggufvet/write/gguf_spec.h"

namespace ggufvet {

// What a recipe may spend, so that a short text cannot ask for gigabytes.
struct RecipeBudget {
  std::uint64_t bytes_left = 4 << 20;  // of repeated text, zeros, values
};

class RecipeScanner {
 public:
  RecipeScanner(std::string_view line, ByteOrder order, RecipeBudget& budget)
      : rest_(line), order_(order), budget_(budget) {}

  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  // The first failure counts.
  void fail(std::string message);

  // Blanks are passed over, and a comment to the end of the line; then: is anything left?
  [[nodiscard]] bool at_end();
  // Fails unless the line is used up.
  void end();
  // All that is left, comments included, without the blanks around it.
  [[nodiscard]] std::string_view take_rest();

  [[nodiscard]] bool take(char letter);
  void expect(char letter);
  [[nodiscard]] bool next_is(char letter);

  // Letters, digits and _ . : / -; empty when something else stands there, which is no failure.
  [[nodiscard]] std::string_view peek_word();
  [[nodiscard]] std::string_view word();
  [[nodiscard]] bool take_word(std::string_view wanted);
  // The beginning of a word.
  [[nodiscard]] bool take_prefix(std::string_view wanted);
  // What stands behind an @, up to the next blank outside quotes.
  [[nodiscard]] std::string label();
  // name=, where nothing may stand before the sign.
  [[nodiscard]] bool take_attribute(std::string_view name);

  // Decimal, 0x hexadecimal, 2^N, and sums and differences of these without blanks: 2^63-1. Must fit 64 bits.
  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::uint64_t number_at_most(std::uint64_t value_max);
  [[nodiscard]] std::optional<std::uint64_t> attribute(std::string_view name);
  // "…", "…"{N} for N times, joined by +.
  [[nodiscard]] std::string text();
  // text() with length=N behind it.
  [[nodiscard]] TextSpec counted_text();
  // hex …, text …, zeros N, fill BYTE N, TYPE NUMBER, one or more of them.
  [[nodiscard]] Bytes bytes();
  // The bits of a value of a fixed-size type: numbers, -numbers, true, false, floats, 0x bits of a float.
  [[nodiscard]] std::uint64_t scalar(const ValueTypeInfo& type);

  // False, and failed, when the budget does not have them.
  bool spend(std::uint64_t bytes);
  [[nodiscard]] ByteOrder order() const { return order_; }

 private:
  [[nodiscard]] std::uint64_t term();
  [[nodiscard]] std::uint64_t power_of_two(std::string_view exponent);
  [[nodiscard]] double real();
  [[nodiscard]] bool byte_part(Bytes& out);
  void hex_bytes(Bytes& out);

  std::string_view rest_;
  ByteOrder order_;
  RecipeBudget& budget_;
  std::string error_;
  std::uint64_t carry_ = 0;  // how often 2^64 has been left behind while a number is summed up
};

}  // namespace ggufvet
