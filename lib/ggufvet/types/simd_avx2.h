// Building blocks of the AVX2 + F16C decoders. Every function carries the target attribute, so the library
// itself is built for the oldest x86. Bits: codes are widened and converted exactly, scales multiply them in
// the plain decoder's order, and FMA is not in the target, so nothing can be fused. For the simd_avx2_*.cpp
// files only; x86 only.
#pragma once

#ifdef __FAST_MATH__
#error "decoders promise exact bits: build them without -ffast-math"
#endif

#include <immintrin.h>

#include "ggufvet/types/block_layouts_forks.h"
#include "ggufvet/types/decode.h"
#include "ggufvet/types/simd_dispatch.h"

#define GGUFVET_AVX2 __attribute__((target("avx2,f16c")))
#define GGUFVET_AVX2_INLINE GGUFVET_AVX2 inline __attribute__((always_inline))

namespace ggufvet::avx2 {

// A decoder of little-endian rows from a decoder of one block; files of the other order take the plain form,
// whose speed they can live with.
template <class Block, void (*kDecodeBlock)(const Block&, float*), DecodeRow kPlain>
GGUFVET_AVX2 void decode_row(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  if (order == ByteOrder::big) return kPlain(row, elements, order, out);
  const std::uint64_t blocks = elements / Block::elements;
  for (std::uint64_t index = 0; index < blocks; ++index)
    kDecodeBlock(block_at<Block>(row, index), out + index * Block::elements);
}

[[nodiscard]] inline float header_value(const F16Field& field) { return read_f16(field, ByteOrder::little); }
[[nodiscard]] inline float header_value(const F32Field& field) { return read_f32(field, ByteOrder::little); }

template <class Header, class Block, void (*kDecodeBlock)(const Block&, float, float*), DecodeRow kPlain>
GGUFVET_AVX2 void decode_headed_row(const std::byte* row, std::uint64_t elements, ByteOrder order,
                                    float* out) {
  if (order == ByteOrder::big) return kPlain(row, elements, order, out);
  const float row_scale = header_value(block_at<Header>(row, 0));
  const std::uint64_t blocks = elements / Block::elements;
  for (std::uint64_t index = 0; index < blocks; ++index)
    kDecodeBlock(block_at<Block>(row + sizeof(Header), index), row_scale, out + index * Block::elements);
}

GGUFVET_AVX2_INLINE float scale_of(const F16Field& field) {
  return _mm_cvtss_f32(
      _mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(read_bits<std::uint16_t>(field, ByteOrder::little)))));
}

GGUFVET_AVX2_INLINE __m128i load_8(const void* bytes) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(bytes));
}
GGUFVET_AVX2_INLINE __m128i load_16(const void* bytes) {
  return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
}
GGUFVET_AVX2_INLINE __m256i load_32(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
}
GGUFVET_AVX2_INLINE __m256i join(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
GGUFVET_AVX2_INLINE __m256i twice(__m128i lane) { return _mm256_broadcastsi128_si256(lane); }

// Shifts bytes right by a constant and keeps `mask` of each; bits that cross over from the neighbour are
// masked away.
template <int kShift>
GGUFVET_AVX2_INLINE __m256i shifted(__m256i bytes, int mask) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, kShift), _mm256_set1_epi8(static_cast<char>(mask)));
}
template <int kShift>
GGUFVET_AVX2_INLINE __m128i shifted(__m128i bytes, int mask) {
  return _mm_and_si128(_mm_srli_epi16(bytes, kShift), _mm_set1_epi8(static_cast<char>(mask)));
}

// 16 bytes of nibbles to 32 codes: low nibbles first, high nibbles in the upper lane.
GGUFVET_AVX2_INLINE __m256i nibbles(__m128i bytes) {
  return _mm256_and_si256(join(bytes, _mm_srli_epi16(bytes, 4)), _mm256_set1_epi8(15));
}

// `value` in every byte whose bit is set, 0 elsewhere: bit k of `bits` for byte k.
GGUFVET_AVX2_INLINE __m256i spread_bits(std::uint32_t bits, int value) {
  const __m256i which = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i picked = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), which);
  const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(picked, select), select);
  return _mm256_and_si256(set, _mm256_set1_epi8(static_cast<char>(value)));
}

// `value` in every byte that has `bit` set.
GGUFVET_AVX2_INLINE __m256i where_bit(__m256i bytes, int bit, int value) {
  const __m256i select = _mm256_set1_epi8(static_cast<char>(1 << bit));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, select), select);
  return _mm256_and_si256(set, _mm256_set1_epi8(static_cast<char>(value)));
}

GGUFVET_AVX2_INLINE __m256 signed_floats(__m128i bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

// 16 or 32 signed codes times a scale.
GGUFVET_AVX2_INLINE void store_16(float* out, __m128i codes, __m256 scale) {
  _mm256_storeu_ps(out, _mm256_mul_ps(signed_floats(codes), scale));
  _mm256_storeu_ps(out + 8, _mm256_mul_ps(signed_floats(_mm_srli_si128(codes, 8)), scale));
}
GGUFVET_AVX2_INLINE void store_32(float* out, __m256i codes, __m256 first, __m256 second) {
  store_16(out, _mm256_castsi256_si128(codes), first);
  store_16(out + 16, _mm256_extracti128_si256(codes, 1), second);
}
GGUFVET_AVX2_INLINE void store_32(float* out, __m256i codes, float scale) {
  const __m256 wide = _mm256_set1_ps(scale);
  store_32(out, codes, wide, wide);
}
GGUFVET_AVX2_INLINE void store_32(float* out, __m256i codes, float first, float second) {
  store_32(out, codes, _mm256_set1_ps(first), _mm256_set1_ps(second));
}

// code * scale + offset; subtracting a minimum is adding its negation, which rounds alike.
GGUFVET_AVX2_INLINE void store_16_offset(float* out, __m128i codes, __m256 scale, __m256 offset) {
  _mm256_storeu_ps(out, _mm256_add_ps(_mm256_mul_ps(signed_floats(codes), scale), offset));
  _mm256_storeu_ps(out + 8,
                   _mm256_add_ps(_mm256_mul_ps(signed_floats(_mm_srli_si128(codes, 8)), scale), offset));
}
GGUFVET_AVX2_INLINE void store_32_offset(float* out, __m256i codes, float scale, float offset) {
  const __m256 wide_scale = _mm256_set1_ps(scale);
  const __m256 wide_offset = _mm256_set1_ps(offset);
  store_16_offset(out, _mm256_castsi256_si128(codes), wide_scale, wide_offset);
  store_16_offset(out + 16, _mm256_extracti128_si256(codes, 1), wide_scale, wide_offset);
}

// 2-bit codes in the order all 256-element types share: 32 bytes carry four runs of 32 elements, one a bit
// pair. Values come ready from a table of four floats a run of 16; the permute looks at the low two bits of
// each lane only.
GGUFVET_AVX2_INLINE void expand_crumbs(const std::uint8_t* codes, const float (*tables)[4], float* out) {
  for (int half = 0; half < 2; ++half) {
    for (int eight = 0; eight < 4; ++eight) {
      __m256i lanes = _mm256_cvtepu8_epi32(load_8(codes + 32 * half + 8 * eight));
      for (int quarter = 0; quarter < 4; ++quarter) {
        const float* table = tables[8 * half + 2 * quarter + (eight >> 1)];
        const __m256 values = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(table));
        _mm256_storeu_ps(out + 128 * half + 32 * quarter + 8 * eight, _mm256_permutevar_ps(values, lanes));
        lanes = _mm256_srli_epi32(lanes, 2);
      }
    }
  }
}

// Packed 2-bit codes in sequence, four a byte, eight elements from 16 bits.
GGUFVET_AVX2_INLINE void expand_packed_crumbs(const std::uint8_t* codes, int elements, __m256 table,
                                              float* out) {
  const __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
  for (int eight = 0; eight < elements / 8; ++eight) {
    const int bits = codes[2 * eight] | (codes[2 * eight + 1] << 8);
    const __m256i lanes = _mm256_srlv_epi32(_mm256_set1_epi32(bits), shifts);
    _mm256_storeu_ps(out + 8 * eight, _mm256_permutevar_ps(table, lanes));
  }
}

// The four values -1, 0, 1 and 2 times a scale.
GGUFVET_AVX2_INLINE __m256 ternary_table(float scale) {
  return _mm256_mul_ps(_mm256_setr_ps(-1, 0, 1, 2, -1, 0, 1, 2), _mm256_set1_ps(scale));
}

// Trits minus one from base-3 fractions: the digit is how many thirds of 256 the byte has passed.
GGUFVET_AVX2_INLINE __m256i centred_trits(__m256i fractions) {
  const __m256i first = _mm256_cmpeq_epi8(_mm256_max_epu8(fractions, _mm256_set1_epi8(86)), fractions);
  const __m256i second =
      _mm256_cmpeq_epi8(_mm256_max_epu8(fractions, _mm256_set1_epi8(static_cast<char>(171))), fractions);
  return _mm256_sub_epi8(_mm256_set1_epi8(-1), _mm256_add_epi8(first, second));
}
GGUFVET_AVX2_INLINE __m256i times_three(__m256i bytes) {
  return _mm256_add_epi8(bytes, _mm256_add_epi8(bytes, bytes));
}

// What each file offers; simd_dispatch.cpp joins them.
[[nodiscard]] std::span<const VectorDecoder> small_decoders();
[[nodiscard]] std::span<const VectorDecoder> wide_decoders();
[[nodiscard]] std::span<const VectorDecoder> codebook_decoders();
[[nodiscard]] std::span<const VectorDecoder> ik_decoders();
[[nodiscard]] std::span<const VectorDecoder> ik_row_decoders();
[[nodiscard]] std::span<const VectorDecoder> fork_decoders();

}  // namespace ggufvet::avx2
