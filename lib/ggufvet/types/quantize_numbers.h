// Rounding as the reference's quantisers do it, defined for every float: input here is a user's file. For the
// quantiser files only.
#pragma once

#ifdef __FAST_MATH__
#error "quantisers promise exact bytes: build them without -ffast-math"
#endif

#include <bit>
#include <cmath>
#include <cstdint>

namespace ggufvet {

// Truncates like the x86 instruction: what does not fit (NaN included) gives the smallest integer.
[[nodiscard]] inline std::int32_t truncate_to_int(float value) {
  return value >= -0x1p31f && value < 0x1p31f ? static_cast<std::int32_t>(value) : INT32_MIN;
}

// Half away from zero.
[[nodiscard]] inline std::int32_t round_to_int(float value) { return truncate_to_int(std::round(value)); }

// Half to even, by adding 1.5 * 2^23 and reading the mantissa. Meant for |value| < 2^22; others give some
// integer, as in the reference.
[[nodiscard]] inline std::int32_t nearest_int(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value + 12582912.0f);
  return (bits & 0x007FFFFF) - 0x00400000;
}

[[nodiscard]] constexpr std::int32_t clamp_int(std::int32_t value, std::int32_t low, std::int32_t high) {
  return value < low ? low : value > high ? high : value;
}

[[nodiscard]] constexpr std::uint8_t as_byte(std::int32_t value) {
  return static_cast<std::uint8_t>(value & 255);
}

[[nodiscard]] inline float inverse_or_zero(float value) { return value != 0.0f ? 1.0f / value : 0.0f; }

// Below this, a group counts as all zero.
inline constexpr float kGroupMagnitudeMin = 1e-15f;

}  // namespace ggufvet
