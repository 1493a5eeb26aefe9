// The value generator of ik_llama's trellis types: a multiplicative congruential walk from the stored index;
// each state gives the sum of its four bytes' low six bits, centred. Recovered from measured vectors. For the
// decoder files only.
#pragma once

#include <cstdint>

namespace ggufvet {

inline constexpr std::uint32_t kTrellisMultiplier = 0xCBAC1FED;
inline constexpr std::uint32_t kTrellisStart =
    4096;  // added to every index, so that index 0 does not stay at 0

class Trellis {
 public:
  constexpr explicit Trellis(std::uint32_t state) : state_(state) {}

  // -126 .. 126
  [[nodiscard]] constexpr int next() {
    state_ *= kTrellisMultiplier;
    const std::uint32_t six = state_ & 0x3F3F3F3Fu;
    return static_cast<int>((six & 255) + ((six >> 8) & 255) + ((six >> 16) & 255) + (six >> 24)) - 126;
  }

 private:
  std::uint32_t state_;
};

}  // namespace ggufvet
