// AVX2 forms of the grid types. A grid row is one 64-bit load; signs come as a row of +1 and -1 and are
// applied to the integers, where negation is exact, so no branch looks at a sign.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"

namespace ggufvet::avx2 {
namespace {

struct SignRows {
  std::uint64_t rows[256];
};

// Byte j of row i is -1 where bit j of i is set, else +1.
constexpr SignRows make_sign_rows() {
  SignRows table{};
  for (std::uint32_t index = 0; index < 256; ++index)
    for (int j = 0; j < 8; ++j)
      table.rows[index] |= std::uint64_t{((index >> j) & 1) != 0 ? 0xFFu : 0x01u} << (8 * j);
  return table;
}
constexpr SignRows make_parity_rows() {
  const SignRows all = make_sign_rows();
  SignRows table{};
  for (std::uint32_t index = 0; index < 128; ++index) table.rows[index] = all.rows[signs_with_parity(index)];
  return table;
}

constexpr SignRows kSignRows = make_sign_rows();
constexpr SignRows kParityRows = make_parity_rows();  // the first 128

GGUFVET_AVX2_INLINE __m128i pair_of(const std::uint64_t& first, const std::uint64_t& second) {
  return _mm_unpacklo_epi64(load_8(&first), load_8(&second));
}

GGUFVET_AVX2_INLINE float scale_iq2(float d, int scale) {
  return d * (0.5f + static_cast<float>(scale)) * 0.25f;
}

GGUFVET_AVX2_INLINE void block_iq2_xxs(const BlockIq2Xxs& block, float* out) {
  const float d = scale_of(block.d);
  for (int group = 0; group < 8; ++group) {
    const std::uint8_t* indices = block.qs + 8 * group;
    const auto word = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(indices + 4));
    const __m256 scale = _mm256_set1_ps(scale_iq2(d, static_cast<int>(word >> 28)));
    const __m128i first =
        _mm_sign_epi8(pair_of(kGridIq2Xxs[indices[0]], kGridIq2Xxs[indices[1]]),
                      pair_of(kParityRows.rows[word & 127], kParityRows.rows[(word >> 7) & 127]));
    const __m128i second =
        _mm_sign_epi8(pair_of(kGridIq2Xxs[indices[2]], kGridIq2Xxs[indices[3]]),
                      pair_of(kParityRows.rows[(word >> 14) & 127], kParityRows.rows[(word >> 21) & 127]));
    store_16(out + 32 * group, first, scale);
    store_16(out + 32 * group + 16, second, scale);
  }
}

GGUFVET_AVX2_INLINE void block_iq2_xs(const BlockIq2Xs& block, float* out) {
  const float d = scale_of(block.d);
  for (int sixteen = 0; sixteen < 16; ++sixteen) {
    const std::uint32_t first = read_u16(block.qs[2 * sixteen], ByteOrder::little);
    const std::uint32_t second = read_u16(block.qs[2 * sixteen + 1], ByteOrder::little);
    const float scale = scale_iq2(d, (block.scales[sixteen >> 1] >> (4 * (sixteen & 1))) & 15);
    const __m128i codes = _mm_sign_epi8(pair_of(kGridIq2Xs[first & 511], kGridIq2Xs[second & 511]),
                                        pair_of(kParityRows.rows[first >> 9], kParityRows.rows[second >> 9]));
    store_16(out + 16 * sixteen, codes, _mm256_set1_ps(scale));
  }
}

GGUFVET_AVX2_INLINE void block_iq2_s(const BlockIq2S& block, float* out) {
  const float d = scale_of(block.d);
  for (int sixteen = 0; sixteen < 16; ++sixteen) {
    const int high = block.qh[sixteen >> 1] >> (4 * (sixteen & 1));
    const int first = block.qs[2 * sixteen] | ((high & 3) << 8);
    const int second = block.qs[2 * sixteen + 1] | ((high & 12) << 6);
    const float scale = scale_iq2(d, (block.scales[sixteen >> 1] >> (4 * (sixteen & 1))) & 15);
    const __m128i codes = _mm_sign_epi8(
        pair_of(kGridIq2S[first], kGridIq2S[second]),
        pair_of(kSignRows.rows[block.signs[2 * sixteen]], kSignRows.rows[block.signs[2 * sixteen + 1]]));
    store_16(out + 16 * sixteen, codes, _mm256_set1_ps(scale));
  }
}

GGUFVET_AVX2_INLINE __m128i four_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return _mm_setr_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c), static_cast<int>(d));
}

GGUFVET_AVX2_INLINE void block_iq3_xxs(const BlockIq3Xxs& block, float* out) {
  const float d = scale_of(block.d);
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t word = read_u32(block.gas[group], ByteOrder::little);
    const __m256 scale = _mm256_set1_ps(d * (0.5f + static_cast<float>(word >> 28)) * 0.5f);
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* indices = block.qs + 8 * group + 4 * half;
      const std::uint32_t signs = word >> (14 * half);
      const __m128i rows = four_of(kGridIq3Xxs[indices[0]], kGridIq3Xxs[indices[1]], kGridIq3Xxs[indices[2]],
                                   kGridIq3Xxs[indices[3]]);
      const __m128i flips = pair_of(kParityRows.rows[signs & 127], kParityRows.rows[(signs >> 7) & 127]);
      store_16(out + 32 * group + 16 * half, _mm_sign_epi8(rows, flips), scale);
    }
  }
}

GGUFVET_AVX2_INLINE void block_iq3_s(const BlockIq3S& block, float* out) {
  const float d = scale_of(block.d);
  for (int group = 0; group < 8; ++group) {
    const int nibble = (block.scales[group >> 1] >> (4 * (group & 1))) & 15;
    const __m256 scale = _mm256_set1_ps(d * static_cast<float>(1 + 2 * nibble));
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* indices = block.qs + 8 * group + 4 * half;
      const int high = block.qh[group] >> (4 * half);
      const __m128i rows =
          four_of(kGridIq3S[indices[0] | ((high << 8) & 256)], kGridIq3S[indices[1] | ((high << 7) & 256)],
                  kGridIq3S[indices[2] | ((high << 6) & 256)], kGridIq3S[indices[3] | ((high << 5) & 256)]);
      const std::uint8_t* signs = block.signs + 4 * group + 2 * half;
      const __m128i flips = pair_of(kSignRows.rows[signs[0]], kSignRows.rows[signs[1]]);
      store_16(out + 32 * group + 16 * half, _mm_sign_epi8(rows, flips), scale);
    }
  }
}

// IQ1 rows hold three values, so a table of three products, indexed by the packed row, replaces the
// arithmetic.
GGUFVET_AVX2_INLINE void store_packed_row(float* out, unsigned row, __m256 products) {
  const __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
  const __m256i codes = _mm256_srlv_epi32(_mm256_set1_epi32(kGridIq1Packed[row]), shifts);
  _mm256_storeu_ps(out, _mm256_permutevar_ps(products, codes));
}

// Grid value plus shift, for +1/8 and -1/8.
alignas(32) constexpr float kShifted[2][8] = {{-0.875f, 0.125f, 1.125f, 0, -0.875f, 0.125f, 1.125f, 0},
                                              {-1.125f, -0.125f, 0.875f, 0, -1.125f, -0.125f, 0.875f, 0}};

GGUFVET_AVX2_INLINE void block_iq1_s(const BlockIq1S& block, float* out) {
  const float d = scale_of(block.d);
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t high = read_u16(block.qh[group], ByteOrder::little);
    const __m256 scale = _mm256_set1_ps(d * static_cast<float>(2 * ((high >> 12) & 7) + 1));
    const __m256 products = _mm256_mul_ps(scale, _mm256_load_ps(kShifted[high >> 15]));
    const std::uint8_t* low = block.qs + 4 * group;
    float* to = out + 32 * group;
    store_packed_row(to, low[0] | ((high << 8) & 0x700), products);
    store_packed_row(to + 8, low[1] | ((high << 5) & 0x700), products);
    store_packed_row(to + 16, low[2] | ((high << 2) & 0x700), products);
    store_packed_row(to + 24, low[3] | ((high >> 1) & 0x700), products);
  }
}

GGUFVET_AVX2_INLINE void block_iq1_m(const BlockIq1M& block, float* out) {
  std::uint32_t packed[4];
  std::uint32_t d_bits = 0;
  for (int j = 0; j < 4; ++j) {
    packed[j] = read_u16(block.scales[j], ByteOrder::little);
    d_bits |= (packed[j] >> 12) << (4 * j);
  }
  const __m128 d = _mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(d_bits)));
  for (int four = 0; four < 4; ++four) {
    alignas(16) float scales[4];
    const __m128i codes =
        _mm_srlv_epi32(_mm_set1_epi32(static_cast<int>(packed[four])), _mm_setr_epi32(0, 3, 6, 9));
    const __m128i doubled = _mm_and_si128(_mm_add_epi32(codes, codes), _mm_set1_epi32(14));
    _mm_store_ps(scales, _mm_mul_ps(_mm_shuffle_ps(d, d, 0),
                                    _mm_cvtepi32_ps(_mm_or_si128(doubled, _mm_set1_epi32(1)))));
    for (int j = 0; j < 4; ++j) {
      const int sixteen = 4 * four + j;
      const unsigned high = block.qh[sixteen];
      const std::uint8_t* low = block.qs + 2 * sixteen;
      const __m256 scale = _mm256_broadcast_ss(scales + j);
      store_packed_row(out + 16 * sixteen, low[0] | ((high << 8) & 0x700),
                       _mm256_mul_ps(scale, _mm256_load_ps(kShifted[(high >> 3) & 1])));
      store_packed_row(out + 16 * sixteen + 8, low[1] | ((high << 4) & 0x700),
                       _mm256_mul_ps(scale, _mm256_load_ps(kShifted[high >> 7])));
    }
  }
}

constexpr VectorDecoder kDecoders[] = {
    {"iq2_xxs", decode_row<BlockIq2Xxs, block_iq2_xxs, decode_iq2_xxs>},
    {"iq2_xs", decode_row<BlockIq2Xs, block_iq2_xs, decode_iq2_xs>},
    {"iq2_s", decode_row<BlockIq2S, block_iq2_s, decode_iq2_s>},
    {"iq3_xxs", decode_row<BlockIq3Xxs, block_iq3_xxs, decode_iq3_xxs>},
    {"iq3_s", decode_row<BlockIq3S, block_iq3_s, decode_iq3_s>},
    {"iq1_s", decode_row<BlockIq1S, block_iq1_s, decode_iq1_s>},
    {"iq1_m", decode_row<BlockIq1M, block_iq1_m, decode_iq1_m>},
};

}  // namespace

std::span<const VectorDecoder> codebook_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
