// Vector form of scan_text, chosen at run time. Internal to the base layer.
#pragma once

#include "ggufvet/base/text.h"

namespace ggufvet {

[[nodiscard]] bool simd_text_available();
// Only to be called where simd_text_available().
[[nodiscard]] TextScan scan_text_simd(std::span<const std::byte> bytes);

}  // namespace ggufvet
