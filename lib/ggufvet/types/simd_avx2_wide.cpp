// AVX2 forms of the K-quants, IQ4_XS and the ternary types of 256 elements.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_scales.h"
#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"

namespace ggufvet::avx2 {
namespace {

GGUFVET_AVX2_INLINE void block_q2_k(const BlockQ2K& block, float* out) {
  alignas(16) float tables[16][4];
  const __m128 d = _mm_set1_ps(scale_of(block.d));
  const __m128 dmin = _mm_set1_ps(scale_of(block.dmin));
  alignas(16) float scales[16];
  alignas(16) float minima[16];
  const __m128i packed = load_16(block.scales);
  const __m128i low = shifted<0>(packed, 15);
  const __m128i high = shifted<4>(packed, 15);
  const __m256 wide_d = _mm256_set1_ps(_mm_cvtss_f32(d));
  const __m256 wide_dmin = _mm256_set1_ps(_mm_cvtss_f32(dmin));
  _mm256_storeu_ps(scales, _mm256_mul_ps(wide_d, signed_floats(low)));
  _mm256_storeu_ps(scales + 8, _mm256_mul_ps(wide_d, signed_floats(_mm_srli_si128(low, 8))));
  _mm256_storeu_ps(minima, _mm256_mul_ps(wide_dmin, signed_floats(high)));
  _mm256_storeu_ps(minima + 8, _mm256_mul_ps(wide_dmin, signed_floats(_mm_srli_si128(high, 8))));
  const __m128 codes = _mm_setr_ps(0, 1, 2, 3);
  for (int part = 0; part < 16; ++part)
    _mm_store_ps(tables[part],
                 _mm_sub_ps(_mm_mul_ps(_mm_set1_ps(scales[part]), codes), _mm_set1_ps(minima[part])));
  expand_crumbs(block.qs, tables, out);
}

GGUFVET_AVX2_INLINE void run_q3_k(__m256i low, __m256i high, int bit, const float* scales, float* out) {
  const __m256i missing = _mm256_sub_epi8(_mm256_set1_epi8(4), where_bit(high, bit, 4));
  store_32(out, _mm256_sub_epi8(low, missing), scales[0], scales[1]);
}

// The packing of scale_q3_k: low nibbles of eight bytes, then their high nibbles; bit pairs of four bytes on
// top.
GGUFVET_AVX2_INLINE __m128i scales_q3_k(const std::uint8_t* packed) {
  const __m128i low = load_8(packed);
  const __m128i nibbles_all = _mm_unpacklo_epi64(low, _mm_srli_epi16(low, 4));
  const auto high = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(packed + 8));
  const __m128i pairs = _mm_setr_epi32(static_cast<int>(high << 4), static_cast<int>(high << 2),
                                       static_cast<int>(high), static_cast<int>(high >> 2));
  const __m128i codes =
      _mm_or_si128(_mm_and_si128(nibbles_all, _mm_set1_epi8(15)), _mm_and_si128(pairs, _mm_set1_epi8(0x30)));
  return _mm_sub_epi8(codes, _mm_set1_epi8(32));
}

GGUFVET_AVX2_INLINE void block_q3_k(const BlockQ3K& block, float* out) {
  const float d = scale_of(block.d);
  alignas(32) float scales[16];
  store_16(scales, scales_q3_k(block.scales), _mm256_set1_ps(d));
  const __m256i high = load_32(block.hmask);
  for (int half = 0; half < 2; ++half) {
    const __m256i codes = load_32(block.qs + 32 * half);
    run_q3_k(shifted<0>(codes, 3), high, 4 * half, scales + 8 * half, out + 128 * half);
    run_q3_k(shifted<2>(codes, 3), high, 4 * half + 1, scales + 8 * half + 2, out + 128 * half + 32);
    run_q3_k(shifted<4>(codes, 3), high, 4 * half + 2, scales + 8 * half + 4, out + 128 * half + 64);
    run_q3_k(shifted<6>(codes, 3), high, 4 * half + 3, scales + 8 * half + 6, out + 128 * half + 96);
  }
}

struct ScalesK4 {
  alignas(32) float scales[8];
  alignas(32) float minima[8];  // negated
};

// The packing of scale_minimum_k4, four bytes at a time.
GGUFVET_AVX2_INLINE ScalesK4 scales_k4(const std::uint8_t* packed, float d, float dmin) {
  const auto* bytes = reinterpret_cast<const std::byte*>(packed);
  const auto first = load_little<std::uint32_t>(bytes);
  const auto second = load_little<std::uint32_t>(bytes + 4);
  const auto third = load_little<std::uint32_t>(bytes + 8);
  const std::uint32_t high_scales = (third & 0x0F0F0F0Fu) | ((first >> 2) & 0x30303030u);
  const std::uint32_t high_minima = ((third >> 4) & 0x0F0F0F0Fu) | ((second >> 2) & 0x30303030u);
  const __m128i scales =
      _mm_setr_epi32(static_cast<int>(first & 0x3F3F3F3Fu), static_cast<int>(high_scales), 0, 0);
  const __m128i minima =
      _mm_setr_epi32(static_cast<int>(second & 0x3F3F3F3Fu), static_cast<int>(high_minima), 0, 0);
  ScalesK4 floats;
  _mm256_store_ps(floats.scales, _mm256_mul_ps(_mm256_set1_ps(d), signed_floats(scales)));
  const __m256 products = _mm256_mul_ps(_mm256_set1_ps(dmin), signed_floats(minima));
  _mm256_store_ps(floats.minima, _mm256_xor_ps(products, _mm256_set1_ps(-0.0f)));
  return floats;
}

// Widening before the nibbles are split takes one shuffle for sixteen elements.
GGUFVET_AVX2_INLINE void block_q4_k(const BlockQ4K& block, float* out) {
  const ScalesK4 floats = scales_k4(block.scales, scale_of(block.d), scale_of(block.dmin));
  for (int pair = 0; pair < 4; ++pair) {
    const __m256 low_scale = _mm256_broadcast_ss(floats.scales + 2 * pair);
    const __m256 low_offset = _mm256_broadcast_ss(floats.minima + 2 * pair);
    const __m256 high_scale = _mm256_broadcast_ss(floats.scales + 2 * pair + 1);
    const __m256 high_offset = _mm256_broadcast_ss(floats.minima + 2 * pair + 1);
    for (int eight = 0; eight < 4; ++eight) {
      const __m256i lanes = _mm256_cvtepu8_epi32(load_8(block.qs + 32 * pair + 8 * eight));
      const __m256 low = _mm256_cvtepi32_ps(_mm256_and_si256(lanes, _mm256_set1_epi32(15)));
      const __m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(lanes, 4));
      float* to = out + 64 * pair + 8 * eight;
      _mm256_storeu_ps(to, _mm256_add_ps(_mm256_mul_ps(low, low_scale), low_offset));
      _mm256_storeu_ps(to + 32, _mm256_add_ps(_mm256_mul_ps(high, high_scale), high_offset));
    }
  }
}

GGUFVET_AVX2_INLINE void block_q5_k(const BlockQ5K& block, float* out) {
  const ScalesK4 floats = scales_k4(block.scales, scale_of(block.d), scale_of(block.dmin));
  const __m256i high = load_32(block.qh);
  for (int pair = 0; pair < 4; ++pair) {
    const __m256i codes = load_32(block.qs + 32 * pair);
    const __m256i first = _mm256_or_si256(shifted<0>(codes, 15), where_bit(high, 2 * pair, 16));
    const __m256i second = _mm256_or_si256(shifted<4>(codes, 15), where_bit(high, 2 * pair + 1, 16));
    store_32_offset(out + 64 * pair, first, floats.scales[2 * pair], floats.minima[2 * pair]);
    store_32_offset(out + 64 * pair + 32, second, floats.scales[2 * pair + 1], floats.minima[2 * pair + 1]);
  }
}

GGUFVET_AVX2_INLINE void run_q6_k(__m256i low, __m256i high, const float* scales, float* out) {
  const __m256i codes = _mm256_sub_epi8(_mm256_or_si256(low, high), _mm256_set1_epi8(32));
  store_32(out, codes, scales[0], scales[1]);
}

GGUFVET_AVX2_INLINE void block_q6_k(const BlockQ6K& block, float* out) {
  alignas(32) float scales[16];
  store_16(scales, load_16(block.scales), _mm256_set1_ps(scale_of(block.d)));
  const __m256i two_bits = _mm256_set1_epi8(0x30);
  for (int half = 0; half < 2; ++half) {
    const __m256i first = load_32(block.ql + 64 * half);
    const __m256i second = load_32(block.ql + 64 * half + 32);
    const __m256i high = load_32(block.qh + 32 * half);
    float* to = out + 128 * half;
    const float* from = scales + 8 * half;
    run_q6_k(shifted<0>(first, 15), _mm256_and_si256(_mm256_slli_epi16(high, 4), two_bits), from, to);
    run_q6_k(shifted<0>(second, 15), _mm256_and_si256(_mm256_slli_epi16(high, 2), two_bits), from + 2,
             to + 32);
    run_q6_k(shifted<4>(first, 15), _mm256_and_si256(high, two_bits), from + 4, to + 64);
    run_q6_k(shifted<4>(second, 15), shifted<2>(high, 0x30), from + 6, to + 96);
  }
}

GGUFVET_AVX2_INLINE void expand_bytes(const std::uint8_t* codes, float scale, float* out) {
  const __m256 wide = _mm256_set1_ps(scale);
  for (int eight = 0; eight < 32; ++eight)
    _mm256_storeu_ps(out + 8 * eight, _mm256_mul_ps(signed_floats(load_8(codes + 8 * eight)), wide));
}

GGUFVET_AVX2_INLINE void block_q8_k(const BlockQ8K& block, float* out) {
  expand_bytes(block.qs, read_f32(block.d, ByteOrder::little), out);
}

GGUFVET_AVX2_INLINE void block_q8_k_ik(const BlockQ8KIk& block, float* out) {
  expand_bytes(block.qs, read_f32(block.d, ByteOrder::little), out);
}

GGUFVET_AVX2_INLINE void block_iq4_xs(const BlockIq4Xs& block, float* out) {
  const float d = scale_of(block.d);
  const std::uint32_t scales_h = read_u16(block.scales_h, ByteOrder::little);
  const __m256i table = twice(load_16(kValues4[0]));
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales_l[group >> 1] >> (4 * (group & 1))) & 15;
    const int high = static_cast<int>((scales_h >> (2 * group)) & 3);
    const float scale = d * static_cast<float>((low | (high << 4)) - 32);
    store_32(out + 32 * group, _mm256_shuffle_epi8(table, nibbles(load_16(block.qs + 16 * group))), scale);
  }
}

GGUFVET_AVX2_INLINE void block_tq1_0(const BlockTq1_0& block, float* out) {
  const float d = scale_of(block.d);
  __m256i first = load_32(block.qs);
  __m256i second = twice(load_16(block.qs + 32));
  for (int n = 0; n < 5; ++n) {
    store_32(out + 32 * n, centred_trits(first), d);
    store_16(out + 160 + 16 * n, _mm256_castsi256_si128(centred_trits(second)), _mm256_set1_ps(d));
    first = times_three(first);
    second = times_three(second);
  }
  // Four bytes of four trits each: lane n of the quarters holds the bytes times 3^n.
  const auto last = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(block.qh));
  const __m128i powers = _mm_setr_epi32(0x00010001, 0x00030003, 0x00090009, 0x001B001B);
  const __m128i bytes = _mm_set1_epi32(static_cast<int>(last));
  const __m128i even =
      _mm_and_si128(_mm_mullo_epi16(_mm_and_si128(bytes, _mm_set1_epi16(255)), powers), _mm_set1_epi16(255));
  const __m128i odd = _mm_slli_epi16(_mm_mullo_epi16(_mm_srli_epi16(bytes, 8), powers), 8);
  const __m256i fractions = _mm256_castsi128_si256(_mm_or_si128(even, odd));
  store_16(out + 240, _mm256_castsi256_si128(centred_trits(fractions)), _mm256_set1_ps(d));
}

GGUFVET_AVX2_INLINE void block_tq2_0(const BlockTq2_0& block, float* out) {
  alignas(16) float tables[16][4];
  const __m128 table = _mm256_castps256_ps128(ternary_table(scale_of(block.d)));
  for (auto& copy : tables) _mm_store_ps(copy, table);
  expand_crumbs(block.qs, tables, out);
}

constexpr VectorDecoder kDecoders[] = {
    {"q2_k", decode_row<BlockQ2K, block_q2_k, decode_q2_k>},
    {"q3_k", decode_row<BlockQ3K, block_q3_k, decode_q3_k>},
    {"q4_k", decode_row<BlockQ4K, block_q4_k, decode_q4_k>},
    {"q5_k", decode_row<BlockQ5K, block_q5_k, decode_q5_k>},
    {"q6_k", decode_row<BlockQ6K, block_q6_k, decode_q6_k>},
    {"q8_k", decode_row<BlockQ8K, block_q8_k, decode_q8_k>},
    {"q8_k_ik", decode_row<BlockQ8KIk, block_q8_k_ik, decode_q8_k_ik>},
    {"iq4_xs", decode_row<BlockIq4Xs, block_iq4_xs, decode_iq4_xs>},
    {"tq1_0", decode_row<BlockTq1_0, block_tq1_0, decode_tq1_0>},
    {"tq2_0", decode_row<BlockTq2_0, block_tq2_0, decode_tq2_0>},
};

}  // namespace

std::span<const VectorDecoder> wide_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
