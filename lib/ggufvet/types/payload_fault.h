// What can be wrong with the bytes of a tensor. Where it is found is in block_scan.h, what it means to a user in the
// payload rules.
#pragma once

#include <cstdint>

namespace ggufvet {

enum class PayloadFault : std::uint8_t {
  // Of one value:
  scale_not_finite,    // a floating-point scale or cached sum that is infinite or NaN
  minimum_not_finite,  // the same of a minimum
  element_not_finite,  // the same of a value stored plainly, FP8 included
  scale_e8m0_nan,      // 255
  scale_ue4m3_nan,     // the byte 0x7F, NaN in E4M3
  scale_ue4m3_signed,  // bit 7 set in a format that has no sign
  code_not_canonical,  // a byte that no encoder of the type writes; one a block is told
  scale_overflows,     // finite, but leaves binary32: a scale times the largest code, or a binary64 as it is
  extreme,             // a value, or scale times largest code, of 65,536 or more: half precision cannot hold it
  // Of a whole tensor:
  all_zero,
  block_repeated,  // every block equals the first
  zero_tail,       // zeros from the middle of a row to the end
  not_judged,      // the layout has no documented field that could be judged
};
inline constexpr std::uint32_t kPayloadFaultCount = 13;

// 2^16, the first power of two that half precision cannot hold.
inline constexpr double kExtremeMagnitude = 65536.0;

}  // namespace ggufvet
