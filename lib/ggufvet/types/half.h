// Small floating-point formats to and from float, built from integers: no lookup table, no floating-point
// step that a flush-to-zero mode, a compiler flag or a byte order could change. NaN payloads are carried over
// as they are, but a NaN that travels through a floating-point register may be quietened, so compare NaNs
// only as NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace ggufvet {

// IEEE 754 binary16. Every value, subnormals included, is exact in binary32.
[[nodiscard]] constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 31u;
  const std::uint32_t mantissa = half & 0x3FFu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  // A subnormal: its highest set bit becomes the implicit one. 2^-24 has exponent field 103 in binary32.
  const auto top = static_cast<std::uint32_t>(std::bit_width(mantissa)) - 1;
  return std::bit_cast<float>(sign | ((top + 103) << 23) | ((mantissa << (23 - top)) & 0x7FFFFFu));
}

// Adds one unit of the last kept place where the dropped bits say round-to-nearest-even.
[[nodiscard]] constexpr std::uint32_t round_shift_even(std::uint32_t value, std::uint32_t shift) {
  const std::uint32_t half = 1u << (shift - 1);
  return (value + (half - 1) + ((value >> shift) & 1u)) >> shift;
}

// Nearest even; too large becomes infinity, NaN becomes the quiet NaN 0x7E00 with the sign kept.
[[nodiscard]] constexpr std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 2^16 and above
  if (magnitude >= 0x38800000u)  // 2^-14: normal in binary16
    return static_cast<std::uint16_t>(sign | round_shift_even(magnitude - 0x38000000u, 13));
  if (magnitude < 0x33000000u) return static_cast<std::uint16_t>(sign);  // below 2^-25: nearest is zero
  const std::uint32_t shift = 126 - (magnitude >> 23);
  return static_cast<std::uint16_t>(sign | round_shift_even((magnitude & 0x7FFFFFu) | 0x800000u, shift));
}

[[nodiscard]] constexpr float bf16_to_f32(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

[[nodiscard]] constexpr std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((bits >> 16) | 64u);
  return static_cast<std::uint16_t>((bits + (0x7FFFu + ((bits >> 16) & 1u))) >> 16);
}

// 2^(exponent - 128): the scale of MXFP4 as ggml stores it, half the OCP value because its code table is
// doubled. 0 and 1 give binary32 subnormals; 255 gives 2^127 although OCP calls it NaN.
[[nodiscard]] constexpr float e8m0_half_to_f32(std::uint8_t exponent) {
  if (exponent < 2) return std::bit_cast<float>(0x00200000u << exponent);
  return std::bit_cast<float>((static_cast<std::uint32_t>(exponent) - 1) << 23);
}

// 2^(exponent - 127), the OCP value. 0 gives the subnormal 2^-127; 255 lands on infinity.
[[nodiscard]] constexpr float e8m0_to_f32(std::uint8_t exponent) {
  if (exponent == 0) return std::bit_cast<float>(0x00400000u);
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << 23);
}

// Four exponent bits, three mantissa bits, no sign: (1 + M/8) * 2^(E - bias), or M/8 * 2^(1 - bias) when E is
// 0. Bit 7 is not looked at. bias: at most 126.
[[nodiscard]] constexpr float e4m3_magnitude_to_f32(std::uint8_t bits, std::uint32_t bias) {
  const std::uint32_t exponent = (bits >> 3) & 15u;
  const std::uint32_t mantissa = bits & 7u;
  if (exponent != 0) return std::bit_cast<float>(((exponent + 127 - bias) << 23) | (mantissa << 20));
  if (mantissa == 0) return 0.0f;
  const auto top = static_cast<std::uint32_t>(std::bit_width(mantissa)) - 1;
  return std::bit_cast<float>(((top + 125 - bias) << 23) | ((mantissa << (23 - top)) & 0x7FFFFFu));
}

// Half of UE4M3, as NVFP4 stores it (its code table is doubled). 0x7F decodes to 0, 0xFF to 240: the
// reference compares the whole byte with 0x7F and then drops bit 7.
[[nodiscard]] constexpr float ue4m3_half_to_f32(std::uint8_t bits) {
  return bits == 0x7F ? 0.0f : e4m3_magnitude_to_f32(bits, 8);
}

// OCP E4M3FN: no infinities, S.1111.111 is NaN.
[[nodiscard]] constexpr float e4m3fn_to_f32(std::uint8_t bits) {
  const std::uint32_t sign = (bits & 0x80u) << 24;
  if ((bits & 0x7Fu) == 0x7F) return std::bit_cast<float>(sign | 0x7FC00000u);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(e4m3_magnitude_to_f32(bits, 7)));
}

}  // namespace ggufvet
