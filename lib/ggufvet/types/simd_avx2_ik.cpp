// AVX2 forms of ik_llama.cpp's quants with a scale in every block.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"
#include "ggufvet/types/simd_avx2_tables.h"

namespace ggufvet::avx2 {
namespace {

GGUFVET_AVX2_INLINE void block_q6_0(const BlockQ6_0& block, float* out) {
  const __m128i packed = load_8(block.qh);
  const __m128i bits = _mm_unpacklo_epi64(packed, _mm_srli_epi16(packed, 4));
  const __m128i two_bits = _mm_set1_epi8(0x30);
  const __m128i low = _mm_and_si128(_mm_slli_epi16(bits, 4), two_bits);
  const __m128i high = _mm_and_si128(_mm_slli_epi16(bits, 2), two_bits);
  const __m256i codes = _mm256_or_si256(nibbles(load_16(block.qs)), join(low, high));
  store_32(out, _mm256_sub_epi8(codes, _mm256_set1_epi8(32)), scale_of(block.d));
}

GGUFVET_AVX2_INLINE void block_iq2_k(const BlockIq2K& block, float* out) {
  const float d = scale_of(block.d);
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  alignas(16) float tables[16][4];
  for (int part = 0; part < 16; ++part) {
    const int scale = ((block.scales[part >> 1] >> (4 * (part & 1))) & 15) - 8;
    store_table_4(tables[part], d * static_cast<float>(scale), kFloats2[bit_at(extra, part)]);
  }
  expand_crumbs(block.qs, tables, out);
}

GGUFVET_AVX2_INLINE void block_iq3_k(const BlockIq3K& block, float* out) {
  const float d = scale_of(block.d);
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  const std::uint32_t negative = read_u16(block.scales_h, ByteOrder::little);
  alignas(32) float tables[16][8];
  for (int part = 0; part < 16; ++part) {
    const int magnitude = 2 * ((block.scales_l[part >> 1] >> (4 * (part & 1))) & 15) + 1;
    const int sign = 1 - 2 * bit_at(negative, part);
    store_table_8(tables[part], d * static_cast<float>(sign * magnitude), kFloats3[bit_at(extra, part)]);
  }
  expand_three_bits(block.qs, block.qh, tables, out);
}

// d * (six-bit scale - 32), two bits of each scale in scales_h.
GGUFVET_AVX2_INLINE float scale_iq4_k(float d, const std::uint8_t* low, const std::uint8_t* high, int part) {
  const int low_bits = (low[part >> 1] >> (4 * (part & 1))) & 15;
  const int high_bits = (high[part >> 2] >> (2 * (part & 3))) & 3;
  return d * static_cast<float>((low_bits | (high_bits << 4)) - 32);
}

GGUFVET_AVX2_INLINE void block_iq4_k(const BlockIq4K& block, float* out) {
  const float d = scale_of(block.d);
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  for (int group = 0; group < 8; ++group) {
    const __m256i table =
        join(load_16(kValues4[bit_at(extra, 2 * group)]), load_16(kValues4[bit_at(extra, 2 * group + 1)]));
    const __m256i values = _mm256_shuffle_epi8(table, nibbles(load_16(block.qs + 16 * group)));
    store_32(out + 32 * group, values, scale_iq4_k(d, block.scales_l, block.scales_h, 2 * group),
             scale_iq4_k(d, block.scales_l, block.scales_h, 2 * group + 1));
  }
}

GGUFVET_AVX2_INLINE void run_iq5_k(__m256i low, __m256i fifth, int group, const BlockIq5K& block, float d,
                                   std::uint32_t extra, float* out) {
  const int first = bit_at(extra, 2 * group);
  const int second = bit_at(extra, 2 * group + 1);
  const __m256i values = lookup_32(lanes_of(kValues5[first], kValues5[second]),
                                   lanes_of(kValues5[first] + 16, kValues5[second] + 16), low, fifth, group);
  store_32(out + 32 * group, values, scale_iq4_k(d, block.scales_l, block.scales_h, 2 * group),
           scale_iq4_k(d, block.scales_l, block.scales_h, 2 * group + 1));
}

GGUFVET_AVX2_INLINE void block_iq5_k(const BlockIq5K& block, float* out) {
  const float d = scale_of(block.d);
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  const __m256i fifth = load_32(block.qh);
  for (int pair = 0; pair < 4; ++pair) {
    const __m256i codes = load_32(block.qs + 32 * pair);
    run_iq5_k(shifted<0>(codes, 15), fifth, 2 * pair, block, d, extra, out);
    run_iq5_k(shifted<4>(codes, 15), fifth, 2 * pair + 1, block, d, extra, out);
  }
}

// The cubic of eight codes, every operation rounded as in the plain form.
GGUFVET_AVX2_INLINE __m256 cubic_iq6_k(__m128i codes, float shift) {
  const __m256 q = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(codes));
  __m256 value = _mm256_add_ps(_mm256_set1_ps(-0.11218f), _mm256_mul_ps(q, _mm256_set1_ps(0.0011972f)));
  value = _mm256_add_ps(_mm256_set1_ps(6.2568f), _mm256_mul_ps(q, value));
  value = _mm256_add_ps(_mm256_set1_ps(-127.0f), _mm256_mul_ps(q, value));
  return _mm256_add_ps(value, _mm256_set1_ps(shift));
}

GGUFVET_AVX2_INLINE void run_iq6_k(__m256i codes, const float* scales, int shifts, float* out) {
  const __m128i lanes[2] = {_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1)};
  for (int sixteen = 0; sixteen < 2; ++sixteen) {
    const __m256 scale = _mm256_set1_ps(scales[sixteen]);
    const auto shift = static_cast<float>((shifts >> sixteen) & 1);
    const __m128i lane = lanes[sixteen];
    _mm256_storeu_ps(out + 16 * sixteen, _mm256_mul_ps(scale, cubic_iq6_k(lane, shift)));
    _mm256_storeu_ps(out + 16 * sixteen + 8,
                     _mm256_mul_ps(scale, cubic_iq6_k(_mm_srli_si128(lane, 8), shift)));
  }
}

GGUFVET_AVX2_INLINE void block_iq6_k(const BlockIq6K& block, float* out) {
  const auto extra = static_cast<int>(read_u16(block.extra, ByteOrder::little));
  alignas(32) float scales[16];
  store_16(scales, load_16(block.scales), _mm256_set1_ps(scale_of(block.d)));
  const __m256i two_bits = _mm256_set1_epi8(0x30);
  for (int half = 0; half < 2; ++half) {
    const __m256i first = load_32(block.qs + 64 * half);
    const __m256i second = load_32(block.qs + 64 * half + 32);
    const __m256i high = load_32(block.qh + 32 * half);
    const float* from = scales + 8 * half;
    float* to = out + 128 * half;
    const int shifts = extra >> (8 * half);
    run_iq6_k(_mm256_or_si256(shifted<0>(first, 15), _mm256_and_si256(_mm256_slli_epi16(high, 4), two_bits)),
              from, shifts, to);
    run_iq6_k(_mm256_or_si256(shifted<4>(first, 15), _mm256_and_si256(_mm256_slli_epi16(high, 2), two_bits)),
              from + 2, shifts >> 2, to + 32);
    run_iq6_k(_mm256_or_si256(shifted<0>(second, 15), _mm256_and_si256(high, two_bits)), from + 4,
              shifts >> 4, to + 64);
    run_iq6_k(_mm256_or_si256(shifted<4>(second, 15), shifted<2>(high, 0x30)), from + 6, shifts >> 6,
              to + 96);
  }
}

constexpr VectorDecoder kDecoders[] = {
    {"q6_0", decode_row<BlockQ6_0, block_q6_0, decode_q6_0>},
    {"iq2_k", decode_row<BlockIq2K, block_iq2_k, decode_iq2_k>},
    {"iq3_k", decode_row<BlockIq3K, block_iq3_k, decode_iq3_k>},
    {"iq4_k", decode_row<BlockIq4K, block_iq4_k, decode_iq4_k>},
    {"iq5_k", decode_row<BlockIq5K, block_iq5_k, decode_iq5_k>},
    {"iq6_k", decode_row<BlockIq6K, block_iq6_k, decode_iq6_k>},
};

}  // namespace

std::span<const VectorDecoder> ik_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
