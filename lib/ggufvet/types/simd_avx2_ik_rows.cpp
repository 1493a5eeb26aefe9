// AVX2 forms of ik_llama.cpp's quants whose rows begin with a scale.
#if defined(__x86_64__) || defined(__i386__)

#include "ggufvet/types/decode_trellis.h"
#include "ggufvet/types/decoders.h"
#include "ggufvet/types/simd_avx2.h"
#include "ggufvet/types/simd_avx2_tables.h"

namespace ggufvet::avx2 {
namespace {

GGUFVET_AVX2_INLINE float scale_ks(float row_scale, int byte) {
  return row_scale * static_cast<float>((byte & 254) - 127);
}

GGUFVET_AVX2_INLINE void group_iq4_ks(__m128i codes, int scale_byte, float row_scale, float* out) {
  const __m256i table = twice(load_16(kValues4[scale_byte & 1]));
  store_32(out, _mm256_shuffle_epi8(table, nibbles(codes)), scale_ks(row_scale, scale_byte));
}

GGUFVET_AVX2_INLINE void block_iq4_ks(const BlockIq4Ks& block, float row_scale, float* out) {
  for (int group = 0; group < 8; ++group)
    group_iq4_ks(load_16(block.qs + 16 * group), block.scales[group], row_scale, out + 32 * group);
}

GGUFVET_AVX2_INLINE void block_iq4_kss(const BlockIq4Kss& block, float row_scale, float* out) {
  for (int group = 0; group < 8; ++group) {
    const __m128i words = load_16(block.qs + 8 * group);
    // Bit 0 of each word, saturated into one byte each, is a bit of the scale.
    const __m128i lowest = _mm_packs_epi16(_mm_slli_epi16(words, 15), _mm_setzero_si128());
    const int scale_byte = _mm_movemask_epi8(lowest) & 255;
    const __m128i gray = _mm_and_si128(words, _mm_set1_epi16(-2));
    group_iq4_ks(_mm_xor_si128(gray, _mm_srli_epi16(gray, 1)), scale_byte, row_scale, out + 32 * group);
  }
}

GGUFVET_AVX2_INLINE void run_iq5_ks(__m256i low, __m256i fifth, int group, const BlockIq5Ks& block,
                                    float row_scale, float* out) {
  const std::int8_t* values = kValues5[block.scales[group] & 1];
  const __m256i looked_up = lookup_32(twice(load_16(values)), twice(load_16(values + 16)), low, fifth, group);
  store_32(out + 32 * group, looked_up, scale_ks(row_scale, block.scales[group]));
}

GGUFVET_AVX2_INLINE void block_iq5_ks(const BlockIq5Ks& block, float row_scale, float* out) {
  const __m256i fifth = load_32(block.qh);
  for (int pair = 0; pair < 4; ++pair) {
    const __m256i codes = load_32(block.qs + 32 * pair);
    run_iq5_ks(shifted<0>(codes, 15), fifth, 2 * pair, block, row_scale, out);
    run_iq5_ks(shifted<4>(codes, 15), fifth, 2 * pair + 1, block, row_scale, out);
  }
}

GGUFVET_AVX2_INLINE void block_iq2_ks(const BlockIq2Ks& block, float row_scale, float* out) {
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  alignas(16) float tables[16][4];
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales[group >> 1] >> (4 * (group & 1))) & 15;
    const float scale = row_scale * static_cast<float>((low | (bit_at(extra, 8 + group) << 4)) - 16);
    store_table_4(tables[2 * group], scale, kFloats2[bit_at(extra, group)]);
    store_table_4(tables[2 * group + 1], scale, kFloats2[bit_at(extra, group)]);
  }
  expand_crumbs(block.qs, tables, out);
}

GGUFVET_AVX2_INLINE void block_iq3_ks(const BlockIq3Ks& block, float row_scale, float* out) {
  const std::uint32_t extra = read_u16(block.extra, ByteOrder::little);
  alignas(32) float tables[16][8];
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales[group & 3] >> (4 * (group >> 2))) & 15;
    const float scale = row_scale * static_cast<float>((low | (bit_at(extra, group) << 4)) - 16);
    store_table_8(tables[2 * group], scale, kFloats3[bit_at(extra, 8 + group)]);
    store_table_8(tables[2 * group + 1], scale, kFloats3[bit_at(extra, 8 + group)]);
  }
  expand_three_bits(block.qs, block.qh, tables, out);
}

// The pair table as two tables of 32: what the first and the second element of each pair are.
struct PairTables {
  alignas(16) std::int8_t values[2][32];
};
constexpr PairTables split_pairs() {
  PairTables tables{};
  for (int index = 0; index < 32; ++index) {
    tables.values[0][index] = static_cast<std::int8_t>(kPairsIq2Kl[index] & 255);
    tables.values[1][index] = static_cast<std::int8_t>(kPairsIq2Kl[index] >> 8);
  }
  return tables;
}
constexpr PairTables kPairTables = split_pairs();

GGUFVET_AVX2_INLINE void block_iq2_kl(const BlockIq2Kl& block, float row_scale, float* out) {
  const std::uint32_t scales_h = read_u16(block.scales_h, ByteOrder::little);
  const __m256i lower = join(load_16(kPairTables.values[0]), load_16(kPairTables.values[1]));
  const __m256i upper = join(load_16(kPairTables.values[0] + 16), load_16(kPairTables.values[1] + 16));
  const __m256i fifth = twice(load_16(block.qh));
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales_l[group & 3] >> (4 * (group >> 2))) & 15;
    const int high = static_cast<int>((scales_h >> (2 * group)) & 3);
    const float scale = row_scale * static_cast<float>((low | (high << 4)) - 32);
    const __m256i bytes = twice(load_16(block.qs + 16 * (group >> 1)));
    const __m256i codes = (group & 1) != 0 ? shifted<4>(bytes, 15) : shifted<0>(bytes, 15);
    const __m256i values = lookup_32(lower, upper, codes, fifth, group);  // lower lane: first elements
    const __m128i first = _mm256_castsi256_si128(values);
    const __m128i second = _mm256_extracti128_si256(values, 1);
    store_32(out + 32 * group, join(_mm_unpacklo_epi8(first, second), _mm_unpackhi_epi8(first, second)),
             scale);
  }
}

// The trellis walk is a power of its multiplier per step, so eight steps are one multiplication.
struct TrellisPowers {
  alignas(32) std::uint32_t eight[8];
  alignas(32) std::uint32_t four_twice[8];
};
constexpr TrellisPowers make_trellis_powers() {
  TrellisPowers powers{};
  std::uint32_t power = 1;
  for (int step = 0; step < 8; ++step) {
    power *= kTrellisMultiplier;
    powers.eight[step] = power;
    if (step < 4) powers.four_twice[step] = powers.four_twice[step + 4] = power;
  }
  return powers;
}
constexpr TrellisPowers kTrellisPowers = make_trellis_powers();

GGUFVET_AVX2_INLINE __m256i trellis_values(__m256i starts, const std::uint32_t* powers) {
  const __m256i states = _mm256_mullo_epi32(starts, load_32(powers));
  const __m256i six = _mm256_and_si256(states, _mm256_set1_epi32(0x3F3F3F3F));
  const __m256i pairs = _mm256_maddubs_epi16(six, _mm256_set1_epi8(1));
  return _mm256_sub_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)), _mm256_set1_epi32(126));
}

GGUFVET_AVX2_INLINE __m256i walk_eight(std::uint32_t index) {
  return trellis_values(_mm256_set1_epi32(static_cast<int>(index + kTrellisStart)), kTrellisPowers.eight);
}

// Four bytes as four integers.
GGUFVET_AVX2_INLINE __m128i widen_4(const std::uint8_t* bytes) {
  const auto word = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(bytes));
  return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(word)));
}

template <int kIndex>
GGUFVET_AVX2_INLINE void store_walk(float* out, __m128i starts, __m256 scale) {
  const __m256i start = _mm256_broadcastd_epi32(_mm_shuffle_epi32(starts, kIndex));
  const __m256 values = _mm256_cvtepi32_ps(trellis_values(start, kTrellisPowers.eight));
  _mm256_storeu_ps(out + 8 * kIndex, _mm256_mul_ps(scale, values));
}

GGUFVET_AVX2_INLINE void block_iq1_kt(const BlockIq1Kt& block, float row_scale, float* out) {
  for (int group = 0; group < 8; ++group) {
    const __m256 scale = _mm256_set1_ps(row_scale * static_cast<float>(kValues4[0][block.sh[group] & 15]));
    const __m128i low = widen_4(block.ql + 4 * group);
    const __m128i nibble_shift = _mm_cvtsi32_si128(4 * (group >> 2));
    const __m128i high =
        _mm_and_si128(_mm_srl_epi32(widen_4(block.qh + 4 * (group & 3)), nibble_shift), _mm_set1_epi32(15));
    const __m128i top = _mm_sllv_epi32(_mm_set1_epi32(block.sh[group]), _mm_setr_epi32(8, 7, 6, 5));
    const __m128i index =
        _mm_or_si128(_mm_or_si128(low, _mm_slli_epi32(high, 8)), _mm_and_si128(top, _mm_set1_epi32(4096)));
    const __m128i starts = _mm_add_epi32(index, _mm_set1_epi32(static_cast<int>(kTrellisStart)));
    store_walk<0>(out + 32 * group, starts, scale);
    store_walk<1>(out + 32 * group, starts, scale);
    store_walk<2>(out + 32 * group, starts, scale);
    store_walk<3>(out + 32 * group, starts, scale);
  }
}

GGUFVET_AVX2_INLINE void block_iq2_kt(const BlockIq2Kt& block, float row_scale, float* out) {
  for (int group = 0; group < 8; ++group) {
    const int nibble = (block.scales[group & 3] >> (4 * (group >> 2))) & 15;
    const __m256 scale = _mm256_set1_ps(row_scale * static_cast<float>(kValues4[0][nibble]));
    for (int l = 0; l < 4; ++l) {
      const __m256 values =
          _mm256_cvtepi32_ps(walk_eight(read_u16(block.ql[4 * group + l], ByteOrder::little)));
      _mm256_storeu_ps(out + 32 * group + 8 * l, _mm256_mul_ps(scale, values));
    }
  }
}

GGUFVET_AVX2_INLINE void block_iq3_kt(const BlockIq3Kt& block, float row_scale, float* out) {
  const __m256i sign = _mm256_set1_epi32(INT32_MIN);
  for (int group = 0; group < 8; ++group) {
    const int nibble = (block.scales[group & 3] >> (4 * (group >> 2))) & 15;
    const __m256 scale = _mm256_set1_ps(row_scale * static_cast<float>(nibble));
    const __m128i to_top = _mm_cvtsi32_si128(31 - group);
    for (int l = 0; l < 4; ++l) {
      const __m256i walk = walk_eight(read_u16(block.ql[4 * group + l], ByteOrder::little));
      const __m256 product = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_abs_epi32(walk)));
      const __m256i bits = _mm256_sll_epi32(_mm256_cvtepu8_epi32(load_8(block.qh + 8 * l)), to_top);
      _mm256_storeu_ps(out + 32 * group + 8 * l,
                       _mm256_xor_ps(product, _mm256_castsi256_ps(_mm256_and_si256(bits, sign))));
    }
  }
}

GGUFVET_AVX2_INLINE void block_iq4_kt(const BlockIq4Kt& block, float row_scale, float* out) {
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t word = read_u32(block.qs[group], ByteOrder::little);
    const __m256 scale =
        _mm256_set1_ps(row_scale * static_cast<float>(static_cast<int>((word & 255) >> 1) - 64));
    const std::uint32_t start = kTrellisStart + ((word & 1) << 15);
    const __m256i low = _mm256_cvtepu8_epi32(load_8(block.ql + 8 * group));
    const __m128i nibble_shift = _mm_cvtsi32_si128(4 * (group >> 2));
    const __m256i high =
        _mm256_srl_epi32(_mm256_cvtepu8_epi32(load_8(block.qh + 8 * (group & 3))), nibble_shift);
    const __m256i top = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(word)),
                                          _mm256_setr_epi32(8, 11, 14, 17, 20, 23, 26, 29));
    const __m256i middle = _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(15)), 8);
    const __m256i upper = _mm256_slli_epi32(_mm256_and_si256(top, _mm256_set1_epi32(7)), 12);
    const __m256i index = _mm256_or_si256(_mm256_or_si256(low, middle), upper);
    const __m256i starts = _mm256_add_epi32(index, _mm256_set1_epi32(static_cast<int>(start)));
    __m256i which = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    for (int pair = 0; pair < 4; ++pair) {
      const __m256i both = _mm256_permutevar8x32_epi32(starts, which);
      const __m256 values = _mm256_cvtepi32_ps(trellis_values(both, kTrellisPowers.four_twice));
      _mm256_storeu_ps(out + 32 * group + 8 * pair, _mm256_mul_ps(scale, values));
      which = _mm256_add_epi32(which, _mm256_set1_epi32(2));
    }
  }
}

// Three bytes of five trits and one trit of a shared byte make sixteen.
GGUFVET_AVX2_INLINE void block_iq1_bn(const BlockIq1Bn& block, float row_scale, float* out) {
  const __m256i digits = _mm256_setr_epi16(81, 27, 9, 3, 1, 81, 27, 9, 3, 1, 81, 27, 9, 3, 1, 0);
  const __m256 scale = _mm256_set1_ps(row_scale);
  constexpr int kDigits[4] = {81, 27, 9, 3};
  const auto tail =
      static_cast<int>(load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(block.ql + 8)));
  const __m128i bytes = _mm_insert_epi32(load_8(block.ql), tail, 2);
  for (int sixteen = 0; sixteen < 4; ++sixteen) {
    const auto at = static_cast<char>(3 * sixteen);
    const __m128i first = _mm_set1_epi8(at);
    const __m128i which = _mm_add_epi8(first, _mm_setr_epi8(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0));
    const __m256i words = _mm256_cvtepu8_epi16(_mm_shuffle_epi8(bytes, which));
    __m256i products = _mm256_and_si256(_mm256_mullo_epi16(words, digits), _mm256_set1_epi16(255));
    products = _mm256_insert_epi16(products, static_cast<short>((block.extra * kDigits[sixteen]) & 255), 15);
    const __m128i fractions =
        _mm_packus_epi16(_mm256_castsi256_si128(products), _mm256_extracti128_si256(products, 1));
    store_16(out + 16 * sixteen, _mm256_castsi256_si128(centred_trits(_mm256_castsi128_si256(fractions))),
             scale);
  }
}

GGUFVET_AVX2_INLINE void block_iq2_bn(const BlockIq2Bn& block, float row_scale, float* out) {
  const __m256 table = ternary_table(row_scale);
  for (int half = 0; half < 2; ++half) {
    __m256i lanes = _mm256_cvtepu8_epi32(load_8(block.qs + 8 * half));
    for (int k = 0; k < 4; ++k) {
      _mm256_storeu_ps(out + 16 * k + 8 * half, _mm256_permutevar_ps(table, lanes));
      lanes = _mm256_srli_epi32(lanes, 2);
    }
  }
}

GGUFVET_AVX2_INLINE void block_iq1_bn_v0(const BlockIq1Bn& block, float* out) {
  block_iq1_bn(block, 1.0f, out);
}
GGUFVET_AVX2_INLINE void block_iq2_bn_v0(const BlockIq2Bn& block, float* out) {
  block_iq2_bn(block, 1.0f, out);
}

constexpr VectorDecoder kDecoders[] = {
    {"iq4_ks", decode_headed_row<F32Field, BlockIq4Ks, block_iq4_ks, decode_iq4_ks>},
    {"iq4_kss", decode_headed_row<F32Field, BlockIq4Kss, block_iq4_kss, decode_iq4_kss>},
    {"iq5_ks", decode_headed_row<F32Field, BlockIq5Ks, block_iq5_ks, decode_iq5_ks>},
    {"iq2_ks", decode_headed_row<F16Field, BlockIq2Ks, block_iq2_ks, decode_iq2_ks>},
    {"iq3_ks", decode_headed_row<F16Field, BlockIq3Ks, block_iq3_ks, decode_iq3_ks>},
    {"iq2_kl", decode_headed_row<F16Field, BlockIq2Kl, block_iq2_kl, decode_iq2_kl>},
    {"iq1_kt", decode_headed_row<F32Field, BlockIq1Kt, block_iq1_kt, decode_iq1_kt>},
    {"iq2_kt", decode_headed_row<F32Field, BlockIq2Kt, block_iq2_kt, decode_iq2_kt>},
    {"iq3_kt", decode_headed_row<F32Field, BlockIq3Kt, block_iq3_kt, decode_iq3_kt>},
    {"iq4_kt", decode_headed_row<F32Field, BlockIq4Kt, block_iq4_kt, decode_iq4_kt>},
    {"iq1_bn", decode_headed_row<F16Field, BlockIq1Bn, block_iq1_bn, decode_iq1_bn>},
    {"iq2_bn", decode_headed_row<F32Field, BlockIq2Bn, block_iq2_bn, decode_iq2_bn>},
    {"iq1_bn_v0", decode_row<BlockIq1Bn, block_iq1_bn_v0, decode_iq1_bn_v0>},
    {"iq2_bn_v0", decode_row<BlockIq2Bn, block_iq2_bn_v0, decode_iq2_bn_v0>},
};

}  // namespace

std::span<const VectorDecoder> ik_row_decoders() { return kDecoders; }

}  // namespace ggufvet::avx2

#endif
