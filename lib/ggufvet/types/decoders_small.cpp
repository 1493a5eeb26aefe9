// Blocks of 32, 64 or 128 elements with one scale (NVFP4: four), and the two ternary types of 256.
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decode_trits.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

// In all 32-element types the low nibbles are elements 0..15 and the high nibbles 16..31.
void decode_block_q4_0(const BlockQ4_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 16; ++j) {
    out[j] = as_float(low_nibble(block.qs[j]) - 8) * d;
    out[j + 16] = as_float(high_nibble(block.qs[j]) - 8) * d;
  }
}

void decode_block_q4_1(const BlockQ4_1& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const float m = read_f16(block.m, order);
  for (int j = 0; j < 16; ++j) {
    out[j] = as_float(low_nibble(block.qs[j])) * d + m;
    out[j + 16] = as_float(high_nibble(block.qs[j])) * d + m;
  }
}

void decode_block_q5_0(const BlockQ5_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t high = read_u32(block.qh, order);
  for (int j = 0; j < 16; ++j) {
    out[j] = as_float((low_nibble(block.qs[j]) | (bit_at(high, j) << 4)) - 16) * d;
    out[j + 16] = as_float((high_nibble(block.qs[j]) | (bit_at(high, j + 16) << 4)) - 16) * d;
  }
}

void decode_block_q5_1(const BlockQ5_1& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const float m = read_f16(block.m, order);
  const std::uint32_t high = read_u32(block.qh, order);
  for (int j = 0; j < 16; ++j) {
    out[j] = as_float(low_nibble(block.qs[j]) | (bit_at(high, j) << 4)) * d + m;
    out[j + 16] = as_float(high_nibble(block.qs[j]) | (bit_at(high, j + 16) << 4)) * d + m;
  }
}

void decode_block_q8_0(const BlockQ8_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 32; ++j) out[j] = as_float(as_signed(block.qs[j])) * d;
}

void decode_block_iq4_nl(const BlockIq4Nl& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 16; ++j) {
    out[j] = d * as_float(kValues4[0][low_nibble(block.qs[j])]);
    out[j + 16] = d * as_float(kValues4[0][high_nibble(block.qs[j])]);
  }
}

void decode_block_mxfp4(const BlockMxfp4& block, ByteOrder, float* out) {
  const float d = e8m0_half_to_f32(block.e);
  for (int j = 0; j < 16; ++j) {
    out[j] = as_float(kValuesE2M1[low_nibble(block.qs[j])]) * d;
    out[j + 16] = as_float(kValuesE2M1[high_nibble(block.qs[j])]) * d;
  }
}

void decode_block_nvfp4(const BlockNvfp4& block, ByteOrder, float* out) {
  for (int part = 0; part < 4; ++part) {
    const float d = ue4m3_half_to_f32(block.d[part]);
    for (int j = 0; j < 8; ++j) {
      const std::uint8_t codes = block.qs[8 * part + j];
      out[16 * part + j] = as_float(kValuesE2M1[low_nibble(codes)]) * d;
      out[16 * part + j + 8] = as_float(kValuesE2M1[high_nibble(codes)]) * d;
    }
  }
}

void decode_block_q1_0(const BlockQ1_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 128; ++j)
    out[j] = with_sign(d, 1u ^ static_cast<std::uint32_t>(bit_at(block.qs[j >> 3], j & 7)));
}

void decode_block_q2_0(const BlockQ2_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 64; ++j) out[j] = as_float(((block.qs[j >> 2] >> (2 * (j & 3))) & 3) - 1) * d;
}

void decode_block_tq1_0(const BlockTq1_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int n = 0; n < 5; ++n)
    for (int m = 0; m < 32; ++m) out[32 * n + m] = as_float(trit_at(block.qs[m], n) - 1) * d;
  for (int n = 0; n < 5; ++n)
    for (int m = 0; m < 16; ++m) out[160 + 16 * n + m] = as_float(trit_at(block.qs[32 + m], n) - 1) * d;
  for (int n = 0; n < 4; ++n)
    for (int j = 0; j < 4; ++j) out[240 + 4 * n + j] = as_float(trit_at(block.qh[j], n) - 1) * d;
}

void decode_block_tq2_0(const BlockTq2_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int half = 0; half < 2; ++half)
    for (int l = 0; l < 4; ++l)
      for (int m = 0; m < 32; ++m)
        out[128 * half + 32 * l + m] = as_float(((block.qs[32 * half + m] >> (2 * l)) & 3) - 1) * d;
}

}  // namespace

void decode_q4_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ4_0, decode_block_q4_0>(row, elements, order, out);
}

void decode_q4_1(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ4_1, decode_block_q4_1>(row, elements, order, out);
}

void decode_q5_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ5_0, decode_block_q5_0>(row, elements, order, out);
}

void decode_q5_1(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ5_1, decode_block_q5_1>(row, elements, order, out);
}

void decode_q8_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ8_0, decode_block_q8_0>(row, elements, order, out);
}

void decode_iq4_nl(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq4Nl, decode_block_iq4_nl>(row, elements, order, out);
}

void decode_mxfp4(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockMxfp4, decode_block_mxfp4>(row, elements, order, out);
}

void decode_nvfp4(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockNvfp4, decode_block_nvfp4>(row, elements, order, out);
}

void decode_q1_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ1_0, decode_block_q1_0>(row, elements, order, out);
}

void decode_q2_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ2_0, decode_block_q2_0>(row, elements, order, out);
}

void decode_tq1_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockTq1_0, decode_block_tq1_0>(row, elements, order, out);
}

void decode_tq2_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockTq2_0, decode_block_tq2_0>(row, elements, order, out);
}

}  // namespace ggufvet
