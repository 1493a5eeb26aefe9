// AVX2 forms of other projects' types.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"

namespace ggufvet::avx2 {
namespace {

GGUFVET_AVX2_INLINE void block_ptq1_0(const BlockPtq1_0& block, float* out) {
  const __m256 d = _mm256_set1_ps(scale_of(block.d));
  // Lower lane: sixteen bytes of five trits; upper lane: eight more, then the two bytes of four trits.
  const auto last = static_cast<std::uint16_t>(block.qh[0] | (block.qh[1] << 8));
  __m256i bytes = join(load_16(block.qs), _mm_insert_epi16(load_8(block.qs + 16), last, 4));
  for (int n = 0; n < 5; ++n) {
    const __m256i trits = centred_trits(bytes);
    const __m128i upper = _mm256_extracti128_si256(trits, 1);
    store_16(out + 16 * n, _mm256_castsi256_si128(trits), d);
    _mm256_storeu_ps(out + 80 + 8 * n, _mm256_mul_ps(signed_floats(upper), d));
    if (n < 4) {
      const __m128 pair = _mm256_castps256_ps128(_mm256_mul_ps(signed_floats(_mm_srli_si128(upper, 8)), d));
      _mm_storel_pi(reinterpret_cast<__m64*>(out + 120 + 2 * n), pair);
    }
    bytes = times_three(bytes);
  }
}

GGUFVET_AVX2_INLINE void block_stq1_0(const BlockStq1_0& block, float* out) {
  const __m256 table = ternary_table(scale_of(block.d));
  const __m128i plus = load_16(kPatternsStq1[0]);
  const __m128i minus = load_16(kPatternsStq1[1]);
  for (int quarter = 0; quarter < 4; ++quarter) {  // sixteen groups, 64 elements
    const __m128i packed = load_8(block.qs + 8 * quarter);
    const __m128i codes =
        _mm_and_si128(_mm_unpacklo_epi8(packed, _mm_srli_epi16(packed, 4)), _mm_set1_epi8(15));
    const std::uint32_t bits =
        block.sign[2 * quarter] | (static_cast<std::uint32_t>(block.sign[2 * quarter + 1]) << 8);
    const __m128i choose = _mm256_castsi256_si128(spread_bits(bits, 0xFF));
    const __m128i patterns =
        _mm_blendv_epi8(_mm_shuffle_epi8(plus, codes), _mm_shuffle_epi8(minus, codes), choose);
    for (int half = 0; half < 2; ++half) {
      __m256i lanes = _mm256_cvtepu8_epi32(half == 0 ? patterns : _mm_srli_si128(patterns, 8));
      for (int lane = 0; lane < 4; ++lane) {
        _mm256_storeu_ps(out + 64 * quarter + 16 * lane + 8 * half, _mm256_permutevar_ps(table, lanes));
        lanes = _mm256_srli_epi32(lanes, 2);
      }
    }
  }
}

// Eight E4M3FN bytes through binary16: the same mantissa and exponent, eight binades lower.
GGUFVET_AVX2_INLINE __m256 e4m3_floats(const std::uint8_t* bytes) {
  const __m128i words = _mm_cvtepu8_epi16(load_8(bytes));
  const __m128i magnitude = _mm_and_si128(words, _mm_set1_epi16(0x7F));
  const __m128i sign = _mm_slli_epi16(_mm_and_si128(words, _mm_set1_epi16(0x80)), 8);
  const __m128i nan = _mm_and_si128(_mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x7F)), _mm_set1_epi16(0x7E00));
  const __m128i half = _mm_or_si128(_mm_or_si128(sign, nan), _mm_slli_epi16(magnitude, 7));
  return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(256.0f));
}

GGUFVET_AVX2_INLINE void expand_e4m3(const std::uint8_t* codes, int elements, float scale, float* out) {
  const __m256 wide = _mm256_set1_ps(scale);
  for (int index = 0; index < elements; index += 8)
    _mm256_storeu_ps(out + index, _mm256_mul_ps(e4m3_floats(codes + index), wide));
}

GGUFVET_AVX2_INLINE void block_f8_e4m3_b128(const BlockF8E4M3B128& block, float* out) {
  expand_e4m3(block.qs, 128, e8m0_to_f32(block.e), out);
}

GGUFVET_AVX2_INLINE void block_e4m3_b32(const BlockE4M3B32& block, float* out) {
  expand_e4m3(block.qs, 32, scale_of(block.d), out);
}

GGUFVET_AVX2_INLINE void block_rocmfp2_dual(const BlockRocmFp2& block, float* out) {
  const __m256 values = _mm256_setr_ps(-4, -1, 1, 4, -4, -1, 1, 4);
  for (int half = 0; half < 2; ++half) {
    const __m256 scale = _mm256_set1_ps(e4m3_magnitude_to_f32(block.e[half], 8));
    expand_packed_crumbs(block.qs + 4 * half, 16, _mm256_mul_ps(values, scale), out + 16 * half);
  }
}

GGUFVET_AVX2_INLINE void block_rocmfp2_affine(const BlockRocmFp2& block, float* out) {
  const __m256 codes = _mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3);
  const __m256 scale = _mm256_set1_ps(e4m3_magnitude_to_f32(block.e[0], 8));
  const __m256 minimum = _mm256_set1_ps(e4m3_magnitude_to_f32(block.e[1], 8));
  expand_packed_crumbs(block.qs, 32, _mm256_sub_ps(_mm256_mul_ps(codes, scale), minimum), out);
}

GGUFVET_AVX2_INLINE void block_mxfp4_ollama(const BlockMxfp4& block, float* out) {
  const __m128i bytes = load_16(block.qs);
  const __m128i low = shifted<0>(bytes, 15);
  const __m128i high = shifted<4>(bytes, 15);
  const __m256i codes = join(_mm_unpacklo_epi8(low, high), _mm_unpackhi_epi8(low, high));
  store_32(out, _mm256_shuffle_epi8(twice(load_16(kValuesE2M1)), codes), e8m0_half_to_f32(block.e));
}

constexpr VectorDecoder kDecoders[] = {
    {"ptq1_0", decode_row<BlockPtq1_0, block_ptq1_0, decode_ptq1_0>},
    {"stq1_0", decode_row<BlockStq1_0, block_stq1_0, decode_stq1_0>},
    {"f8_e4m3_b128", decode_row<BlockF8E4M3B128, block_f8_e4m3_b128, decode_f8_e4m3_b128>},
    {"e4m3_b32", decode_row<BlockE4M3B32, block_e4m3_b32, decode_e4m3_b32>},
    {"rocmfp2_dual", decode_row<BlockRocmFp2, block_rocmfp2_dual, decode_rocmfp2_dual>},
    {"rocmfp2_affine", decode_row<BlockRocmFp2, block_rocmfp2_affine, decode_rocmfp2_affine>},
    {"mxfp4_ollama", decode_row<BlockMxfp4, block_mxfp4_ollama, decode_mxfp4_ollama>},
};

}  // namespace

std::span<const VectorDecoder> fork_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
