// Types of other projects and of proposals. Sources of the layouts, none of which comes with vectors of a
// reference: PrismML's own description (Q1_0 v1, Q2_0_G128 / PQ2_0, PTQ1_0), llama.cpp PR 22836 and an
// independent implementation (STQ1_0), nisparks' fork (F8_E4M3_B128), ggml PR 1528 (E4M3), ROCmFPX (107, two
// readings of the same bytes), ollama of August 2025 (MXFP4 under id 4).
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decode_trits.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

void decode_block_q1_0_g32(const BlockQ1_0G32& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 32; ++j)
    out[j] = with_sign(d, 1u ^ static_cast<std::uint32_t>(bit_at(block.qs[j >> 3], j & 7)));
}

void decode_block_q2_0_g128(const BlockQ2_0G128& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 128; ++j) out[j] = as_float(((block.qs[j >> 2] >> (2 * (j & 3))) & 3) - 1) * d;
}

void decode_block_ptq1_0(const BlockPtq1_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int n = 0; n < 5; ++n)
    for (int m = 0; m < 16; ++m) out[16 * n + m] = as_float(trit_at(block.qs[m], n) - 1) * d;
  for (int n = 0; n < 5; ++n)
    for (int m = 0; m < 8; ++m) out[80 + 8 * n + m] = as_float(trit_at(block.qs[16 + m], n) - 1) * d;
  for (int n = 0; n < 4; ++n)
    for (int h = 0; h < 2; ++h) out[120 + 2 * n + h] = as_float(trit_at(block.qh[h], n) - 1) * d;
}

// A group's four lanes lie 16 elements apart inside their 64.
void decode_block_stq1_0(const BlockStq1_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int group = 0; group < 64; ++group) {
    const int code = (block.qs[group >> 1] >> (4 * (group & 1))) & 15;
    const int pattern = kPatternsStq1[bit_at(block.sign[group >> 3], group & 7)][code];
    for (int lane = 0; lane < 4; ++lane)
      out[64 * (group >> 4) + (group & 15) + 16 * lane] = as_float(((pattern >> (2 * lane)) & 3) - 1) * d;
  }
}

// The scale is the OCP one here, not the halved one of MXFP4.
void decode_block_f8_e4m3_b128(const BlockF8E4M3B128& block, ByteOrder, float* out) {
  const float d = e8m0_to_f32(block.e);
  for (int j = 0; j < 128; ++j) out[j] = e4m3fn_to_f32(block.qs[j]) * d;
}

void decode_block_e4m3_b32(const BlockE4M3B32& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 32; ++j) out[j] = e4m3fn_to_f32(block.qs[j]) * d;
}

void decode_block_rocmfp2_dual(const BlockRocmFp2& block, ByteOrder, float* out) {
  constexpr std::int8_t kValues[4] = {-4, -1, 1, 4};
  for (int j = 0; j < 32; ++j) {
    const float scale = e4m3_magnitude_to_f32(block.e[j >> 4], 8);
    out[j] = as_float(kValues[(block.qs[j >> 2] >> (2 * (j & 3))) & 3]) * scale;
  }
}

void decode_block_rocmfp2_affine(const BlockRocmFp2& block, ByteOrder, float* out) {
  const float scale = e4m3_magnitude_to_f32(block.e[0], 8);
  const float minimum = e4m3_magnitude_to_f32(block.e[1], 8);
  for (int j = 0; j < 32; ++j) out[j] = as_float((block.qs[j >> 2] >> (2 * (j & 3))) & 3) * scale - minimum;
}

// Adjacent elements share a byte, where ggml's MXFP4 keeps them 16 apart.
void decode_block_mxfp4_ollama(const BlockMxfp4& block, ByteOrder, float* out) {
  const float d = e8m0_half_to_f32(block.e);
  for (int j = 0; j < 16; ++j) {
    out[2 * j] = as_float(kValuesE2M1[low_nibble(block.qs[j])]) * d;
    out[2 * j + 1] = as_float(kValuesE2M1[high_nibble(block.qs[j])]) * d;
  }
}

}  // namespace

void decode_q1_0_g32(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ1_0G32, decode_block_q1_0_g32>(row, elements, order, out);
}

void decode_q2_0_g128(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ2_0G128, decode_block_q2_0_g128>(row, elements, order, out);
}

void decode_ptq1_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockPtq1_0, decode_block_ptq1_0>(row, elements, order, out);
}

void decode_stq1_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockStq1_0, decode_block_stq1_0>(row, elements, order, out);
}

void decode_f8_e4m3_b128(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockF8E4M3B128, decode_block_f8_e4m3_b128>(row, elements, order, out);
}

void decode_e4m3_b32(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockE4M3B32, decode_block_e4m3_b32>(row, elements, order, out);
}

void decode_rocmfp2_dual(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockRocmFp2, decode_block_rocmfp2_dual>(row, elements, order, out);
}

void decode_rocmfp2_affine(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockRocmFp2, decode_block_rocmfp2_affine>(row, elements, order, out);
}

void decode_mxfp4_ollama(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockMxfp4, decode_block_mxfp4_ollama>(row, elements, order, out);
}

}  // namespace ggufvet
