#include "ggufvet/types/simd_scan.h"

#include "ggufvet/base/assert.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#define GGUFVET_AVX2 __attribute__((target("avx2")))

namespace ggufvet {
namespace {

constexpr std::size_t kVectorBytes = 32;

GGUFVET_AVX2 inline __m256i load_vector(const std::byte* bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}
GGUFVET_AVX2 inline __m256i load_table(const std::vector<std::uint8_t>& table, std::size_t at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table.data() + at));
}

template <std::uint32_t kLaneBytes>
GGUFVET_AVX2 inline __m256i larger(__m256i a, __m256i b) {
  return kLaneBytes == 2 ? _mm256_max_epu16(a, b) : _mm256_max_epu32(a, b);
}

// The largest masked lane; four accumulators hide the latency of a maximum.
template <std::uint32_t kLaneBytes>
GGUFVET_AVX2 SimdScan scan_lanes(const ElementLanes& lanes, std::span<const std::byte> bytes) {
  const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(lanes.mask));
  constexpr std::size_t kStep = 4 * kVectorBytes;
  constexpr std::size_t kPrefetchBytes = 4096;
  __m256i most[4] = {};
  std::size_t at = 0;
  for (; at + kStep <= bytes.size(); at += kStep) {
    const std::byte* const place = bytes.data() + at;
    _mm_prefetch(reinterpret_cast<const char*>(place + kPrefetchBytes), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(place + kPrefetchBytes + 64), _MM_HINT_T0);
    for (std::size_t vector = 0; vector < 4; ++vector)
      most[vector] = larger<kLaneBytes>(most[vector],
                                        _mm256_and_si256(load_vector(place + vector * kVectorBytes), mask));
  }
  const __m256i all =
      larger<kLaneBytes>(larger<kLaneBytes>(most[0], most[1]), larger<kLaneBytes>(most[2], most[3]));
  const __m256i limit = kLaneBytes == 2 ? _mm256_set1_epi16(static_cast<short>(lanes.limit))
                                        : _mm256_set1_epi32(static_cast<int>(lanes.limit));
  const __m256i reached = kLaneBytes == 2 ? _mm256_cmpeq_epi16(_mm256_max_epu16(all, limit), all)
                                          : _mm256_cmpeq_epi32(_mm256_max_epu32(all, limit), all);
  return {_mm256_testz_si256(reached, reached) == 0, at};
}

// 13 * byte modulo 256: 243 is -13, so what is left of 243 * byte is at least 243 where this is 1 to 13.
GGUFVET_AVX2 inline __m256i not_five_trits(__m256i bytes) {
  const __m256i twice = _mm256_add_epi8(bytes, bytes);
  const __m256i four = _mm256_add_epi8(twice, twice);
  const __m256i thirteen = _mm256_add_epi8(_mm256_add_epi8(four, four), _mm256_add_epi8(four, bytes));
  const __m256i one_less = _mm256_sub_epi8(thirteen, _mm256_set1_epi8(1));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(one_less, _mm256_set1_epi8(12)), one_less);
}

// 81 * byte modulo 256 is 86 or more where the fifth trit is not zero.
GGUFVET_AVX2 inline __m256i fifth_trit(__m256i bytes) {
  const __m256i sixteen =
      _mm256_and_si256(_mm256_slli_epi16(bytes, 4), _mm256_set1_epi8(static_cast<char>(0xF0)));
  const __m256i sixty_four =
      _mm256_and_si256(_mm256_slli_epi16(bytes, 6), _mm256_set1_epi8(static_cast<char>(0xC0)));
  const __m256i product = _mm256_add_epi8(_mm256_add_epi8(sixty_four, sixteen), bytes);
  return _mm256_subs_epu8(product, _mm256_set1_epi8(85));
}

template <bool kTernary, bool kTrits>
GGUFVET_AVX2 SimdScan scan_dense(const DensePattern& pattern, std::span<const std::byte> bytes) {
  __m256i found = _mm256_setzero_si256();
  const std::size_t end = bytes.size() / kVectorBytes * kVectorBytes;
  constexpr std::size_t kPrefetchBytes = 4096;
  for (std::size_t at = 0; at < end;) {
    const std::size_t run = end - at < pattern.period ? end - at : pattern.period;
    for (std::size_t place = 0; place < run; place += kVectorBytes, at += kVectorBytes) {
      _mm_prefetch(reinterpret_cast<const char*>(bytes.data() + at + kPrefetchBytes), _MM_HINT_T0);
      const __m256i vector = load_vector(bytes.data() + at);
      const __m256i value = _mm256_and_si256(vector, load_table(pattern.mask, place));
      found = _mm256_or_si256(found, _mm256_subs_epu8(value, load_table(pattern.limit, place)));
      if constexpr (kTernary) {
        const __m256i pairs =
            _mm256_and_si256(_mm256_and_si256(vector, _mm256_srli_epi16(vector, 1)), _mm256_set1_epi8(0x55));
        found = _mm256_or_si256(found, _mm256_and_si256(pairs, load_table(pattern.ternary, place)));
      }
      if constexpr (kTrits) {
        found = _mm256_or_si256(found,
                                _mm256_and_si256(not_five_trits(vector), load_table(pattern.trits_5, place)));
        found =
            _mm256_or_si256(found, _mm256_and_si256(fifth_trit(vector), load_table(pattern.trits_4, place)));
      }
    }
  }
  return {_mm256_testz_si256(found, found) == 0, end};
}

}  // namespace

bool simd_scan_available() {
  static const bool available = __builtin_cpu_supports("avx2") != 0;
  return available;
}

SimdScan scan_lanes_simd(const ElementLanes& lanes, std::span<const std::byte> bytes) {
  return lanes.lane_bytes == 2 ? scan_lanes<2>(lanes, bytes) : scan_lanes<4>(lanes, bytes);
}

SimdScan scan_dense_simd(const DensePattern& pattern, std::span<const std::byte> bytes) {
  if (pattern.has_ternary) return scan_dense<true, false>(pattern, bytes);
  if (pattern.has_trits) return scan_dense<false, true>(pattern, bytes);
  return scan_dense<false, false>(pattern, bytes);
}

}  // namespace ggufvet

#else

namespace ggufvet {

bool simd_scan_available() { return false; }
SimdScan scan_lanes_simd(const ElementLanes&, std::span<const std::byte>) { return {}; }
SimdScan scan_dense_simd(const DensePattern&, std::span<const std::byte>) { return {}; }

}  // namespace ggufvet

#endif
