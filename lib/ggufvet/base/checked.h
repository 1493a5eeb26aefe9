// Arithmetic on numbers that came from a file. A size is never invented: where it does not fit 64 bits the
// answer is empty, and a rule says why.
#pragma once

#include <cstdint>
#include <optional>

namespace ggufvet {

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

// The smallest multiple of `multiple` (> 0, any value, not only powers of two) that is at least `value`.
[[nodiscard]] constexpr std::optional<std::uint64_t> pad_to_multiple(std::uint64_t value,
                                                                     std::uint64_t multiple) {
  // Nearly every alignment is a power of two, and a mask costs a tenth of a division.
  const std::uint64_t remainder = is_power_of_two(multiple) ? value & (multiple - 1) : value % multiple;
  if (remainder == 0) return value;
  return checked_add(value, multiple - remainder);
}

// How many whole blocks `elements` make; empty when a rest remains.
[[nodiscard]] constexpr std::optional<std::uint64_t> blocks_exact(std::uint64_t elements,
                                                                  std::uint64_t block_elements) {
  if (block_elements == 0 || elements % block_elements != 0) return std::nullopt;
  return elements / block_elements;
}

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace ggufvet
