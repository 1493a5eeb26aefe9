// Where blanks stand in a short text, without a branch for each character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ggufvet {

// Bit n: byte n of the 32 at `bytes` is a blank.
[[nodiscard]] inline std::uint32_t blanks_of_32(const std::byte* bytes) {
  constexpr std::size_t kLanes = 32;
#ifdef __SSE2__
  const auto blanks_of_16 = [](const std::byte* sixteen) {
    __m128i values;
    std::memcpy(&values, sixteen, sizeof values);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(values, _mm_set1_epi8(' '))));
  };
  return blanks_of_16(bytes) | blanks_of_16(bytes + kLanes / 2) << (kLanes / 2);
#else
  std::uint32_t blanks = 0;
  for (std::size_t at = 0; at < kLanes; ++at) blanks |= std::uint32_t{bytes[at] == std::byte{' '}} << at;
  return blanks;
#endif
}

}  // namespace ggufvet
