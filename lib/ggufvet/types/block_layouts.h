// The bytes of one block of each mainline tensor type, as plain structs of byte arrays: size, offset of every
// field, no padding and alignment 1 are held by static_assert, so a pointer into a file may be viewed as one.
// Fields keep the names their own project gives them (d, dmin, qs, qh, scales). Fields wider than a byte are
// read with a stated byte order; byte and nibble arrays look the same in either. Source: facts about ggml
// 0.21.0, sizes measured from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/types/half.h"

namespace ggufvet {

struct F16Field {
  std::uint8_t bytes[2];
};
struct U16Field {
  std::uint8_t bytes[2];
};
struct F32Field {
  std::uint8_t bytes[4];
};
struct U32Field {
  std::uint8_t bytes[4];
};
struct F64Field {
  std::uint8_t bytes[8];
};

template <class Integer, class Field>
[[nodiscard]] inline Integer read_bits(const Field& field, ByteOrder order) {
  static_assert(sizeof(Integer) == sizeof(Field));
  return load<Integer>(reinterpret_cast<const std::byte*>(field.bytes), order);
}
[[nodiscard]] inline std::uint32_t read_u16(const U16Field& field, ByteOrder order) {
  return read_bits<std::uint16_t>(field, order);
}
[[nodiscard]] inline std::uint32_t read_u32(const U32Field& field, ByteOrder order) {
  return read_bits<std::uint32_t>(field, order);
}
[[nodiscard]] inline float read_f16(const F16Field& field, ByteOrder order) {
  return f16_to_f32(read_bits<std::uint16_t>(field, order));
}
[[nodiscard]] inline float read_f32(const F32Field& field, ByteOrder order) {
  return std::bit_cast<float>(read_bits<std::uint32_t>(field, order));
}

// The index-th block of a run. Blocks consist of unsigned char alone, so viewing bytes as one breaks no
// aliasing rule.
template <class Block>
[[nodiscard]] inline const Block& block_at(const std::byte* bytes, std::uint64_t index) {
  return reinterpret_cast<const Block*>(bytes)[index];
}
template <class Block>
[[nodiscard]] inline Block& block_at(std::byte* bytes, std::uint64_t index) {
  return reinterpret_cast<Block*>(bytes)[index];
}

#define GGUFVET_BLOCK(type, size)                                                          \
  static_assert(sizeof(type) == (size) && alignof(type) == 1 && std::is_trivial_v<type> && \
                std::is_standard_layout_v<type>)
#define GGUFVET_FIELD(type, field, begin, size) \
  static_assert(offsetof(type, field) == (begin) && sizeof(type::field) == (size))

struct BlockF16 {
  static constexpr std::uint32_t elements = 1;
  F16Field d;
};
GGUFVET_BLOCK(BlockF16, 2);
GGUFVET_FIELD(BlockF16, d, 0, 2);

struct BlockBf16 {
  static constexpr std::uint32_t elements = 1;
  U16Field d;
};
GGUFVET_BLOCK(BlockBf16, 2);
GGUFVET_FIELD(BlockBf16, d, 0, 2);

struct BlockF32 {
  static constexpr std::uint32_t elements = 1;
  F32Field d;
};
GGUFVET_BLOCK(BlockF32, 4);
GGUFVET_FIELD(BlockF32, d, 0, 4);

struct BlockF64 {
  static constexpr std::uint32_t elements = 1;
  F64Field d;
};
GGUFVET_BLOCK(BlockF64, 8);
GGUFVET_FIELD(BlockF64, d, 0, 8);

struct BlockQ4_0 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ4_0, 18);
GGUFVET_FIELD(BlockQ4_0, d, 0, 2);
GGUFVET_FIELD(BlockQ4_0, qs, 2, 16);

struct BlockQ4_1 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  F16Field m;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ4_1, 20);
GGUFVET_FIELD(BlockQ4_1, d, 0, 2);
GGUFVET_FIELD(BlockQ4_1, m, 2, 2);
GGUFVET_FIELD(BlockQ4_1, qs, 4, 16);

struct BlockQ5_0 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  U32Field qh;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ5_0, 22);
GGUFVET_FIELD(BlockQ5_0, d, 0, 2);
GGUFVET_FIELD(BlockQ5_0, qh, 2, 4);
GGUFVET_FIELD(BlockQ5_0, qs, 6, 16);

struct BlockQ5_1 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  F16Field m;
  U32Field qh;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ5_1, 24);
GGUFVET_FIELD(BlockQ5_1, d, 0, 2);
GGUFVET_FIELD(BlockQ5_1, m, 2, 2);
GGUFVET_FIELD(BlockQ5_1, qh, 4, 4);
GGUFVET_FIELD(BlockQ5_1, qs, 8, 16);

struct BlockQ8_0 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qs[32];
};
GGUFVET_BLOCK(BlockQ8_0, 34);
GGUFVET_FIELD(BlockQ8_0, d, 0, 2);
GGUFVET_FIELD(BlockQ8_0, qs, 2, 32);

struct BlockQ8_1 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  F16Field s;
  std::uint8_t qs[32];
};
GGUFVET_BLOCK(BlockQ8_1, 36);
GGUFVET_FIELD(BlockQ8_1, d, 0, 2);
GGUFVET_FIELD(BlockQ8_1, s, 2, 2);
GGUFVET_FIELD(BlockQ8_1, qs, 4, 32);

struct BlockIq4Nl {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockIq4Nl, 18);
GGUFVET_FIELD(BlockIq4Nl, d, 0, 2);
GGUFVET_FIELD(BlockIq4Nl, qs, 2, 16);

struct BlockMxfp4 {
  static constexpr std::uint32_t elements = 32;
  std::uint8_t e;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockMxfp4, 17);
GGUFVET_FIELD(BlockMxfp4, e, 0, 1);
GGUFVET_FIELD(BlockMxfp4, qs, 1, 16);

struct BlockNvfp4 {
  static constexpr std::uint32_t elements = 64;
  std::uint8_t d[4];
  std::uint8_t qs[32];
};
GGUFVET_BLOCK(BlockNvfp4, 36);
GGUFVET_FIELD(BlockNvfp4, d, 0, 4);
GGUFVET_FIELD(BlockNvfp4, qs, 4, 32);

struct BlockQ1_0 {
  static constexpr std::uint32_t elements = 128;
  F16Field d;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ1_0, 18);
GGUFVET_FIELD(BlockQ1_0, d, 0, 2);
GGUFVET_FIELD(BlockQ1_0, qs, 2, 16);

struct BlockQ2_0 {
  static constexpr std::uint32_t elements = 64;
  F16Field d;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ2_0, 18);
GGUFVET_FIELD(BlockQ2_0, d, 0, 2);
GGUFVET_FIELD(BlockQ2_0, qs, 2, 16);

struct BlockTq1_0 {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t qs[48];
  std::uint8_t qh[4];
  F16Field d;
};
GGUFVET_BLOCK(BlockTq1_0, 54);
GGUFVET_FIELD(BlockTq1_0, qs, 0, 48);
GGUFVET_FIELD(BlockTq1_0, qh, 48, 4);
GGUFVET_FIELD(BlockTq1_0, d, 52, 2);

struct BlockTq2_0 {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t qs[64];
  F16Field d;
};
GGUFVET_BLOCK(BlockTq2_0, 66);
GGUFVET_FIELD(BlockTq2_0, qs, 0, 64);
GGUFVET_FIELD(BlockTq2_0, d, 64, 2);

struct BlockQ2K {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  F16Field d;
  F16Field dmin;
};
GGUFVET_BLOCK(BlockQ2K, 84);
GGUFVET_FIELD(BlockQ2K, scales, 0, 16);
GGUFVET_FIELD(BlockQ2K, qs, 16, 64);
GGUFVET_FIELD(BlockQ2K, d, 80, 2);
GGUFVET_FIELD(BlockQ2K, dmin, 82, 2);

struct BlockQ3K {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  F16Field d;
};
GGUFVET_BLOCK(BlockQ3K, 110);
GGUFVET_FIELD(BlockQ3K, hmask, 0, 32);
GGUFVET_FIELD(BlockQ3K, qs, 32, 64);
GGUFVET_FIELD(BlockQ3K, scales, 96, 12);
GGUFVET_FIELD(BlockQ3K, d, 108, 2);

struct BlockQ4K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  F16Field dmin;
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockQ4K, 144);
GGUFVET_FIELD(BlockQ4K, d, 0, 2);
GGUFVET_FIELD(BlockQ4K, dmin, 2, 2);
GGUFVET_FIELD(BlockQ4K, scales, 4, 12);
GGUFVET_FIELD(BlockQ4K, qs, 16, 128);

struct BlockQ5K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  F16Field dmin;
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockQ5K, 176);
GGUFVET_FIELD(BlockQ5K, d, 0, 2);
GGUFVET_FIELD(BlockQ5K, dmin, 2, 2);
GGUFVET_FIELD(BlockQ5K, scales, 4, 12);
GGUFVET_FIELD(BlockQ5K, qh, 16, 32);
GGUFVET_FIELD(BlockQ5K, qs, 48, 128);

struct BlockQ6K {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t ql[128];
  std::uint8_t qh[64];
  std::uint8_t scales[16];
  F16Field d;
};
GGUFVET_BLOCK(BlockQ6K, 210);
GGUFVET_FIELD(BlockQ6K, ql, 0, 128);
GGUFVET_FIELD(BlockQ6K, qh, 128, 64);
GGUFVET_FIELD(BlockQ6K, scales, 192, 16);
GGUFVET_FIELD(BlockQ6K, d, 208, 2);

struct BlockQ8K {
  static constexpr std::uint32_t elements = 256;
  F32Field d;
  std::uint8_t qs[256];
  U16Field bsums[16];
};
GGUFVET_BLOCK(BlockQ8K, 292);
GGUFVET_FIELD(BlockQ8K, d, 0, 4);
GGUFVET_FIELD(BlockQ8K, qs, 4, 256);
GGUFVET_FIELD(BlockQ8K, bsums, 260, 32);

struct BlockIq2Xxs {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  std::uint8_t qs[64];
};
GGUFVET_BLOCK(BlockIq2Xxs, 66);
GGUFVET_FIELD(BlockIq2Xxs, d, 0, 2);
GGUFVET_FIELD(BlockIq2Xxs, qs, 2, 64);

struct BlockIq2Xs {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field qs[32];
  std::uint8_t scales[8];
};
GGUFVET_BLOCK(BlockIq2Xs, 74);
GGUFVET_FIELD(BlockIq2Xs, d, 0, 2);
GGUFVET_FIELD(BlockIq2Xs, qs, 2, 64);
GGUFVET_FIELD(BlockIq2Xs, scales, 66, 8);

struct BlockIq2S {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  std::uint8_t qs[32];
  std::uint8_t signs[32];
  std::uint8_t qh[8];
  std::uint8_t scales[8];
};
GGUFVET_BLOCK(BlockIq2S, 82);
GGUFVET_FIELD(BlockIq2S, d, 0, 2);
GGUFVET_FIELD(BlockIq2S, qs, 2, 32);
GGUFVET_FIELD(BlockIq2S, signs, 34, 32);
GGUFVET_FIELD(BlockIq2S, qh, 66, 8);
GGUFVET_FIELD(BlockIq2S, scales, 74, 8);

struct BlockIq3Xxs {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  std::uint8_t qs[64];
  U32Field gas[8];
};
GGUFVET_BLOCK(BlockIq3Xxs, 98);
GGUFVET_FIELD(BlockIq3Xxs, d, 0, 2);
GGUFVET_FIELD(BlockIq3Xxs, qs, 2, 64);
GGUFVET_FIELD(BlockIq3Xxs, gas, 66, 32);

struct BlockIq3S {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  std::uint8_t qs[64];
  std::uint8_t qh[8];
  std::uint8_t signs[32];
  std::uint8_t scales[4];
};
GGUFVET_BLOCK(BlockIq3S, 110);
GGUFVET_FIELD(BlockIq3S, d, 0, 2);
GGUFVET_FIELD(BlockIq3S, qs, 2, 64);
GGUFVET_FIELD(BlockIq3S, qh, 66, 8);
GGUFVET_FIELD(BlockIq3S, signs, 74, 32);
GGUFVET_FIELD(BlockIq3S, scales, 106, 4);

struct BlockIq1S {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  std::uint8_t qs[32];
  U16Field qh[8];
};
GGUFVET_BLOCK(BlockIq1S, 50);
GGUFVET_FIELD(BlockIq1S, d, 0, 2);
GGUFVET_FIELD(BlockIq1S, qs, 2, 32);
GGUFVET_FIELD(BlockIq1S, qh, 34, 16);

struct BlockIq1M {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t qs[32];
  std::uint8_t qh[16];
  U16Field scales[4];
};
GGUFVET_BLOCK(BlockIq1M, 56);
GGUFVET_FIELD(BlockIq1M, qs, 0, 32);
GGUFVET_FIELD(BlockIq1M, qh, 32, 16);
GGUFVET_FIELD(BlockIq1M, scales, 48, 8);

struct BlockIq4Xs {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockIq4Xs, 136);
GGUFVET_FIELD(BlockIq4Xs, d, 0, 2);
GGUFVET_FIELD(BlockIq4Xs, scales_h, 2, 2);
GGUFVET_FIELD(BlockIq4Xs, scales_l, 4, 4);
GGUFVET_FIELD(BlockIq4Xs, qs, 8, 128);

}  // namespace ggufvet
