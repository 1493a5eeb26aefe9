// Small integer scales packed below a byte. For the decoder files only.
#pragma once

#include <cstdint>

namespace ggufvet {

struct ScaleMinimum {
  int scale = 0;
  int minimum = 0;
};

// Q4_K and Q5_K: eight six-bit scales and eight six-bit minima in 12 bytes. The first four of each keep their
// six bits together; the high two bits of the last four sit on top of the first four.
[[nodiscard]] constexpr ScaleMinimum scale_minimum_k4(const std::uint8_t* scales, int index) {
  if (index < 4) return {scales[index] & 63, scales[index + 4] & 63};
  return {(scales[index + 4] & 15) | ((scales[index - 4] >> 6) << 4),
          (scales[index + 4] >> 4) | ((scales[index] >> 6) << 4)};
}

// Q3_K: sixteen six-bit scales in 12 bytes, stored with an offset of 32.
[[nodiscard]] constexpr int scale_q3_k(const std::uint8_t* scales, int index) {
  const int low = index < 8 ? scales[index] & 15 : scales[index - 8] >> 4;
  const int high = (scales[8 + (index & 3)] >> (2 * (index >> 2))) & 3;
  return (low | (high << 4)) - 32;
}

}  // namespace ggufvet
