// How a quantiser of one block becomes a quantiser of a row. For the quantiser files only.
#pragma once

#include "ggufvet/types/block_layouts_forks.h"
#include "ggufvet/types/decode.h"
#include "ggufvet/types/quantize_numbers.h"

namespace ggufvet {

// kQuantizeBlock: void(const float*, Block&). Blocks start out all zero.
template <class Block, auto kQuantizeBlock>
void quantize_row(const float* values, std::uint64_t elements, std::byte* row) {
  const std::uint64_t blocks = elements / Block::elements;
  for (std::uint64_t index = 0; index < blocks; ++index) {
    Block block{};
    kQuantizeBlock(values + index * Block::elements, block);
    std::memcpy(row + index * sizeof(Block), &block, sizeof block);
  }
}

inline void write_f16(F16Field& field, float value) {
  store<std::uint16_t>(reinterpret_cast<std::byte*>(field.bytes), f32_to_f16(value), ByteOrder::little);
}
inline void write_u16(U16Field& field, std::uint32_t value) {
  store<std::uint16_t>(reinterpret_cast<std::byte*>(field.bytes), static_cast<std::uint16_t>(value),
                       ByteOrder::little);
}
inline void write_u32(U32Field& field, std::uint32_t value) {
  store<std::uint32_t>(reinterpret_cast<std::byte*>(field.bytes), value, ByteOrder::little);
}
inline void write_f32(F32Field& field, float value) {
  store<std::uint32_t>(reinterpret_cast<std::byte*>(field.bytes), std::bit_cast<std::uint32_t>(value),
                       ByteOrder::little);
}

// What a decoder will read back.
[[nodiscard]] inline float stored_f16(const F16Field& field) { return read_f16(field, ByteOrder::little); }

struct Extremes {
  float magnitude = 0;  // the largest absolute value
  float value = 0;      // the first value that has it, with its sign
  float least = 0;
  float greatest = 0;
};

[[nodiscard]] inline Extremes extremes_of(const float* values, int count) {
  Extremes found{.least = values[0], .greatest = values[0]};
  for (int j = 0; j < count; ++j) {
    const float magnitude = std::fabs(values[j]);
    if (magnitude > found.magnitude) {
      found.magnitude = magnitude;
      found.value = values[j];
    }
    if (values[j] < found.least) found.least = values[j];
    if (values[j] > found.greatest) found.greatest = values[j];
  }
  return found;
}

}  // namespace ggufvet
