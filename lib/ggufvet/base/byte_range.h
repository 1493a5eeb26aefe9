// ByteRange: the one way this library speaks about places in a file. Offsets are absolute and 64-bit, ranges
// are half open. Owns nothing, never reads.
#pragma once

#include <cstdint>

namespace ggufvet {

struct ByteRange {  // [begin, end), always file offsets
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] constexpr std::uint64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin == end; }
  [[nodiscard]] constexpr bool contains(ByteRange inner) const {
    return begin <= inner.begin && inner.end <= end;
  }
  friend constexpr bool operator==(ByteRange, ByteRange) = default;
};

}  // namespace ggufvet
