// Base-3 digits packed five to a byte. For the decoder files only.
#pragma once

#include <cstdint>

namespace ggufvet {

// Digit `index` (0..4) of a byte read as a binary fraction: multiply by 3^index, keep the fraction, and the
// next digit is what carries out of another multiplication by 3. Bytes that no encoder writes decode, too.
[[nodiscard]] constexpr int trit_at(std::uint8_t byte, int index) {
  constexpr int kPowers[5] = {1, 3, 9, 27, 81};
  return (((byte * kPowers[index]) & 255) * 3) >> 8;
}

}  // namespace ggufvet
