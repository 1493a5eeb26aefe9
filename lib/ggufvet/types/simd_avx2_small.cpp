// AVX2 forms of the plain types and of blocks of 32, 64 and 128 elements.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"

namespace ggufvet::avx2 {
namespace {

GGUFVET_AVX2 void row_f16(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  if (order == ByteOrder::big) return decode_f16(row, elements, order, out);
  std::uint64_t index = 0;
  for (; index + 8 <= elements; index += 8)
    _mm256_storeu_ps(out + index, _mm256_cvtph_ps(load_16(row + 2 * index)));
  decode_f16(row + 2 * index, elements - index, order, out + index);
}

GGUFVET_AVX2 void row_bf16(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  if (order == ByteOrder::big) return decode_bf16(row, elements, order, out);
  std::uint64_t index = 0;
  for (; index + 8 <= elements; index += 8) {
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load_16(row + 2 * index)), 16);
    _mm256_storeu_ps(out + index, _mm256_castsi256_ps(bits));
  }
  decode_bf16(row + 2 * index, elements - index, order, out + index);
}

GGUFVET_AVX2_INLINE void block_q4_0(const BlockQ4_0& block, float* out) {
  store_32(out, _mm256_sub_epi8(nibbles(load_16(block.qs)), _mm256_set1_epi8(8)), scale_of(block.d));
}

GGUFVET_AVX2_INLINE void block_q4_1(const BlockQ4_1& block, float* out) {
  store_32_offset(out, nibbles(load_16(block.qs)), scale_of(block.d), scale_of(block.m));
}

GGUFVET_AVX2_INLINE __m256i codes_q5(const std::uint8_t* codes, const U32Field& high) {
  return _mm256_or_si256(nibbles(load_16(codes)), spread_bits(read_u32(high, ByteOrder::little), 16));
}

GGUFVET_AVX2_INLINE void block_q5_0(const BlockQ5_0& block, float* out) {
  store_32(out, _mm256_sub_epi8(codes_q5(block.qs, block.qh), _mm256_set1_epi8(16)), scale_of(block.d));
}

GGUFVET_AVX2_INLINE void block_q5_1(const BlockQ5_1& block, float* out) {
  store_32_offset(out, codes_q5(block.qs, block.qh), scale_of(block.d), scale_of(block.m));
}

GGUFVET_AVX2_INLINE void block_q8_0(const BlockQ8_0& block, float* out) {
  store_32(out, load_32(block.qs), scale_of(block.d));
}

GGUFVET_AVX2_INLINE void block_iq4_nl(const BlockIq4Nl& block, float* out) {
  const __m256i table = twice(load_16(kValues4[0]));
  store_32(out, _mm256_shuffle_epi8(table, nibbles(load_16(block.qs))), scale_of(block.d));
}

GGUFVET_AVX2_INLINE void block_mxfp4(const BlockMxfp4& block, float* out) {
  const __m256i table = twice(load_16(kValuesE2M1));
  store_32(out, _mm256_shuffle_epi8(table, nibbles(load_16(block.qs))), e8m0_half_to_f32(block.e));
}

GGUFVET_AVX2_INLINE void block_nvfp4(const BlockNvfp4& block, float* out) {
  const __m128i table = load_16(kValuesE2M1);
  for (int half = 0; half < 2; ++half) {
    const __m128i codes = load_16(block.qs + 16 * half);
    const __m128i low = _mm_shuffle_epi8(table, shifted<0>(codes, 15));
    const __m128i high = _mm_shuffle_epi8(table, shifted<4>(codes, 15));
    store_16(out + 32 * half, _mm_unpacklo_epi64(low, high),
             _mm256_set1_ps(ue4m3_half_to_f32(block.d[2 * half])));
    store_16(out + 32 * half + 16, _mm_unpackhi_epi64(low, high),
             _mm256_set1_ps(ue4m3_half_to_f32(block.d[2 * half + 1])));
  }
}

// Bit j of a byte is moved to lane j's sign; a clear bit means minus.
GGUFVET_AVX2_INLINE void expand_signs(const std::uint8_t* bits, int bytes, float scale, float* out) {
  const __m256i shifts = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
  const __m256i sign = _mm256_set1_epi32(INT32_MIN);
  const __m256 wide = _mm256_set1_ps(scale);
  for (int index = 0; index < bytes; ++index) {
    const __m256i moved = _mm256_sllv_epi32(_mm256_set1_epi32(bits[index]), shifts);
    const __m256 minus = _mm256_castsi256_ps(_mm256_andnot_si256(moved, sign));
    _mm256_storeu_ps(out + 8 * index, _mm256_xor_ps(wide, minus));
  }
}

GGUFVET_AVX2_INLINE void block_q1_0(const BlockQ1_0& block, float* out) {
  expand_signs(block.qs, 16, scale_of(block.d), out);
}

GGUFVET_AVX2_INLINE void block_q1_0_g32(const BlockQ1_0G32& block, float* out) {
  expand_signs(block.qs, 4, scale_of(block.d), out);
}

GGUFVET_AVX2_INLINE void block_q2_0(const BlockQ2_0& block, float* out) {
  expand_packed_crumbs(block.qs, 64, ternary_table(scale_of(block.d)), out);
}

GGUFVET_AVX2_INLINE void block_q2_0_g128(const BlockQ2_0G128& block, float* out) {
  expand_packed_crumbs(block.qs, 128, ternary_table(scale_of(block.d)), out);
}

constexpr VectorDecoder kDecoders[] = {
    {"f16", row_f16},
    {"bf16", row_bf16},
    {"q4_0", decode_row<BlockQ4_0, block_q4_0, decode_q4_0>},
    {"q4_1", decode_row<BlockQ4_1, block_q4_1, decode_q4_1>},
    {"q5_0", decode_row<BlockQ5_0, block_q5_0, decode_q5_0>},
    {"q5_1", decode_row<BlockQ5_1, block_q5_1, decode_q5_1>},
    {"q8_0", decode_row<BlockQ8_0, block_q8_0, decode_q8_0>},
    {"iq4_nl", decode_row<BlockIq4Nl, block_iq4_nl, decode_iq4_nl>},
    {"mxfp4", decode_row<BlockMxfp4, block_mxfp4, decode_mxfp4>},
    {"nvfp4", decode_row<BlockNvfp4, block_nvfp4, decode_nvfp4>},
    {"q1_0_g128", decode_row<BlockQ1_0, block_q1_0, decode_q1_0>},
    {"q1_0_g32", decode_row<BlockQ1_0G32, block_q1_0_g32, decode_q1_0_g32>},
    {"q2_0_g64", decode_row<BlockQ2_0, block_q2_0, decode_q2_0>},
    {"q2_0_g128", decode_row<BlockQ2_0G128, block_q2_0_g128, decode_q2_0_g128>},
};

}  // namespace

std::span<const VectorDecoder> small_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
