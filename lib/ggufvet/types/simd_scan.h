// Vector forms of the block scan, chosen at run time. Internal to the types layer.
#pragma once

#include "ggufvet/types/block_scan.h"

namespace ggufvet {

[[nodiscard]] bool simd_scan_available();
// Only to be called where simd_scan_available(). They look at whole vectors from the start and answer for
// `scanned` bytes; the rest is the caller's.
struct SimdScan {
  bool suspect = false;
  std::size_t scanned = 0;
};
[[nodiscard]] SimdScan scan_lanes_simd(const ElementLanes& lanes, std::span<const std::byte> bytes);
[[nodiscard]] SimdScan scan_dense_simd(const DensePattern& pattern, std::span<const std::byte> bytes);

}  // namespace ggufvet
