// Value tables of ik_llama's types as floats, and the lookups that use them. For the simd_avx2_*.cpp files
// only.
#pragma once

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/simd_avx2.h"

namespace ggufvet::avx2 {

template <std::size_t kValues>
struct FloatRows {
  alignas(32) float rows[2][kValues];
  constexpr const float* operator[](int row) const { return rows[row]; }
};

template <std::size_t kValues>
constexpr FloatRows<kValues> float_rows(const std::int8_t (&values)[2][kValues]) {
  FloatRows<kValues> floats{};
  for (int row = 0; row < 2; ++row)
    for (std::size_t index = 0; index < kValues; ++index)
      floats.rows[row][index] = static_cast<float>(values[row][index]);
  return floats;
}

inline constexpr FloatRows<4> kFloats2 = float_rows(kValues2);
inline constexpr FloatRows<8> kFloats3 = float_rows(kValues3);

GGUFVET_AVX2_INLINE void store_table_4(float* table, float scale, const float* values) {
  _mm_store_ps(table, _mm_mul_ps(_mm_set1_ps(scale), _mm_loadu_ps(values)));
}
GGUFVET_AVX2_INLINE void store_table_8(float* table, float scale, const float* values) {
  _mm256_store_ps(table, _mm256_mul_ps(_mm256_set1_ps(scale), _mm256_loadu_ps(values)));
}

GGUFVET_AVX2_INLINE void store_looked_up(float* out, __m128i codes, const float* table) {
  _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_load_ps(table), _mm256_cvtepu8_epi32(codes)));
}

GGUFVET_AVX2_INLINE void run_three_bits(__m256i low, __m256i high, int group, const float (*tables)[8],
                                        float* out) {
  const __m256i codes = _mm256_or_si256(low, where_bit(high, group, 4));
  const __m128i first = _mm256_castsi256_si128(codes);
  const __m128i second = _mm256_extracti128_si256(codes, 1);
  store_looked_up(out, first, tables[0]);
  store_looked_up(out + 8, _mm_srli_si128(first, 8), tables[0]);
  store_looked_up(out + 16, second, tables[1]);
  store_looked_up(out + 24, _mm_srli_si128(second, 8), tables[1]);
}

// Crumbs as in expand_crumbs plus a third bit: bit `group` of 32 bytes for the group-th run of 32.
GGUFVET_AVX2_INLINE void expand_three_bits(const std::uint8_t* low, const std::uint8_t* high,
                                           const float (*tables)[8], float* out) {
  const __m256i bits = load_32(high);
  for (int half = 0; half < 2; ++half) {
    const __m256i codes = load_32(low + 32 * half);
    run_three_bits(shifted<0>(codes, 3), bits, 4 * half, tables + 8 * half, out + 128 * half);
    run_three_bits(shifted<2>(codes, 3), bits, 4 * half + 1, tables + 8 * half + 2, out + 128 * half + 32);
    run_three_bits(shifted<4>(codes, 3), bits, 4 * half + 2, tables + 8 * half + 4, out + 128 * half + 64);
    run_three_bits(shifted<6>(codes, 3), bits, 4 * half + 3, tables + 8 * half + 6, out + 128 * half + 96);
  }
}

GGUFVET_AVX2_INLINE __m256i lanes_of(const std::int8_t* first, const std::int8_t* second) {
  return join(load_16(first), load_16(second));
}

// 32 table entries: `low` holds four bits of each index, bit `bit` of `fifth` chooses the upper sixteen.
GGUFVET_AVX2_INLINE __m256i lookup_32(__m256i lower, __m256i upper, __m256i low, __m256i fifth, int bit) {
  const __m256i choose = where_bit(fifth, bit, 0xFF);
  return _mm256_blendv_epi8(_mm256_shuffle_epi8(lower, low), _mm256_shuffle_epi8(upper, low), choose);
}

}  // namespace ggufvet::avx2
