// How a decoder of one block becomes a decoder of a row. For the decoder files only.
#pragma once

#ifdef __FAST_MATH__
#error "decoders promise exact bits: build them without -ffast-math"
#endif

#include "ggufvet/types/block_layouts_forks.h"
#include "ggufvet/types/decode.h"

namespace ggufvet {

// kDecodeBlock: void(const Block&, ByteOrder, float* out)
template <class Block, auto kDecodeBlock>
void decode_row(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  const std::uint64_t blocks = elements / Block::elements;
  for (std::uint64_t index = 0; index < blocks; ++index)
    kDecodeBlock(block_at<Block>(row, index), order, out + index * Block::elements);
}

[[nodiscard]] inline float read_scale(const F16Field& field, ByteOrder order) {
  return read_f16(field, order);
}
[[nodiscard]] inline float read_scale(const F32Field& field, ByteOrder order) {
  return read_f32(field, order);
}

// The row begins with a scale of its own. kDecodeBlock: void(const Block&, float row_scale, ByteOrder, float*
// out)
template <class Header, class Block, auto kDecodeBlock>
void decode_headed_row(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  const float row_scale = read_scale(block_at<Header>(row, 0), order);
  const std::uint64_t blocks = elements / Block::elements;
  for (std::uint64_t index = 0; index < blocks; ++index)
    kDecodeBlock(block_at<Block>(row + sizeof(Header), index), row_scale, order,
                 out + index * Block::elements);
}

// Codes are small integers: exact as floats.
[[nodiscard]] constexpr float as_float(int code) { return static_cast<float>(code); }
[[nodiscard]] constexpr int low_nibble(std::uint8_t byte) { return byte & 15; }
[[nodiscard]] constexpr int high_nibble(std::uint8_t byte) { return byte >> 4; }
[[nodiscard]] constexpr int as_signed(std::uint8_t byte) { return static_cast<std::int8_t>(byte); }
// Times -1 where `negative` is 1 (else 0): without a branch, for signs are as good as random.
[[nodiscard]] constexpr float with_sign(float value, std::uint32_t negative) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ (negative << 31));
}
template <class Bits>
[[nodiscard]] constexpr int bit_at(Bits bits, int index) {
  return static_cast<int>((bits >> index) & 1u);
}

}  // namespace ggufvet
