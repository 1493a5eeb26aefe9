// UTF-8 validation by three table look-ups a vector, after J. Keiser and D. Lemire, "Validating UTF-8 in less
// than one instruction per byte" (2021): each nibble of a byte and of the byte before it votes for the kinds
// of error it can be part of, and an error is what all three agree on. Zero bytes are counted in the same
// pass, which is how NULs are found in length-prefixed strings without looking at each.
#include "ggufvet/base/text_simd.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ggufvet/base/assert.h"

#if defined(__x86_64__) || defined(__i386__)
#define GGUFVET_TEXT_AVX2 1
#include <immintrin.h>
#else
#define GGUFVET_TEXT_AVX2 0
#endif

namespace ggufvet {

#if GGUFVET_TEXT_AVX2

namespace {

#define GGUFVET_AVX2 __attribute__((target("avx2")))

// Kinds of error, a bit each, as seen from the pair (previous byte, this byte).
constexpr char kTooShort = 1 << 0;      // a lead byte followed by something that continues nothing
constexpr char kTooLong = 1 << 1;       // an ASCII byte followed by a continuation
constexpr char kOverlong3 = 1 << 2;     // E0 80..9F
constexpr char kTooLarge = 1 << 3;      // F4 90..BF, F5..
constexpr char kSurrogate = 1 << 4;     // ED A0..BF
constexpr char kOverlong2 = 1 << 5;     // C0, C1
constexpr char kTooLarge1000 = 1 << 6;  // F5..FF 80..8F; shares its bit with F0 80..8F
constexpr char kOverlong4 = 1 << 6;
constexpr char kTwoContinuations = static_cast<char>(1 << 7);  // fine only after a 3- or 4-byte lead
constexpr char kCarry = static_cast<char>(kTooShort | kTooLong | kTwoContinuations);

struct Vectors {
  __m256i errors;
  __m256i previous;
  __m256i zeros;  // 32 byte counters, negated
};

GGUFVET_AVX2 inline __m256i table(char a0, char a1, char a2, char a3, char a4, char a5, char a6, char a7,
                                  char a8, char a9, char aa, char ab, char ac, char ad, char ae, char af) {
  return _mm256_broadcastsi128_si256(
      _mm_setr_epi8(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aa, ab, ac, ad, ae, af));
}

GGUFVET_AVX2 inline __m256i high_nibbles(__m256i bytes) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
}

template <int kBack>
GGUFVET_AVX2 inline __m256i shifted_in(__m256i bytes, __m256i previous) {
  return _mm256_alignr_epi8(bytes, _mm256_permute2x128_si256(previous, bytes, 0x21), 16 - kBack);
}

GGUFVET_AVX2 inline __m256i pair_errors(__m256i bytes, __m256i before) {
  const __m256i by_lead_high = _mm256_shuffle_epi8(
      table(kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTwoContinuations,
            kTwoContinuations, kTwoContinuations, kTwoContinuations, kTooShort | kOverlong2, kTooShort,
            kTooShort | kOverlong3 | kSurrogate, kTooShort | kTooLarge | kTooLarge1000 | kOverlong4),
      high_nibbles(before));
  const char low_f = static_cast<char>(kCarry | kTooLarge | kTooLarge1000);
  const __m256i by_lead_low =
      _mm256_shuffle_epi8(table(static_cast<char>(kCarry | kOverlong3 | kOverlong2 | kOverlong4),
                                static_cast<char>(kCarry | kOverlong2), kCarry, kCarry,
                                static_cast<char>(kCarry | kTooLarge), low_f, low_f, low_f, low_f, low_f,
                                low_f, low_f, low_f, static_cast<char>(low_f | kSurrogate), low_f, low_f),
                          _mm256_and_si256(before, _mm256_set1_epi8(0x0F)));
  const char second_8 =
      static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kOverlong3 | kTooLarge1000);
  const char second_9 = static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kOverlong3 | kTooLarge);
  const char second_ab =
      static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kSurrogate | kTooLarge);
  const __m256i by_second_high = _mm256_shuffle_epi8(
      table(kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, second_8,
            second_9, second_ab, second_ab, kTooShort, kTooShort, kTooShort, kTooShort),
      high_nibbles(bytes));
  return _mm256_and_si256(_mm256_and_si256(by_lead_high, by_lead_low), by_second_high);
}

GGUFVET_AVX2 inline void scan_vector(Vectors& state, __m256i bytes) {
  state.zeros = _mm256_add_epi8(state.zeros, _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
  // ASCII after a complete sequence cannot be wrong. `previous` may end in a lead byte, so it is asked as
  // well.
  if (_mm256_movemask_epi8(_mm256_or_si256(bytes, state.previous)) == 0) {
    state.previous = bytes;
    return;
  }
  const __m256i special = pair_errors(bytes, shifted_in<1>(bytes, state.previous));
  // Third and fourth bytes: exactly where the byte two back is E0.. or the byte three back is F0..
  const __m256i third = _mm256_subs_epu8(shifted_in<2>(bytes, state.previous), _mm256_set1_epi8(0x60));
  const __m256i fourth = _mm256_subs_epu8(shifted_in<3>(bytes, state.previous), _mm256_set1_epi8(0x70));
  const __m256i wanted =
      _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(static_cast<char>(0x80)));
  state.errors = _mm256_or_si256(state.errors, _mm256_xor_si256(wanted, special));
  state.previous = bytes;
}

GGUFVET_AVX2 inline std::uint64_t counted(__m256i negated_counters) {
  const __m256i counters = _mm256_sub_epi8(_mm256_setzero_si256(), negated_counters);
  const __m256i sums = _mm256_sad_epu8(counters, _mm256_setzero_si256());
  std::array<std::uint64_t, 4> parts;
  std::memcpy(parts.data(), &sums, sizeof sums);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

GGUFVET_AVX2 TextScan scan_avx2(std::span<const std::byte> bytes) {
  constexpr std::size_t kVector = 32;
  constexpr std::size_t kCounterMax = 255;  // what one byte counter holds
  Vectors state{_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  TextScan scan;
  std::size_t at = 0;
  while (bytes.size() - at >= kVector) {
    const std::size_t vectors = std::min((bytes.size() - at) / kVector, kCounterMax);
    const std::byte* const block = bytes.data() + at;
    for (std::size_t index = 0; index < vectors; ++index)
      scan_vector(state, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + index * kVector)));
    scan.zero_bytes += counted(state.zeros);
    state.zeros = _mm256_setzero_si256();
    at += vectors * kVector;
  }
  // The rest, then at least one zero: a sequence cut by the end is an error like any other. The zeros added
  // here are not counted.
  const std::size_t rest = bytes.size() - at;
  std::byte tail[kVector] = {};
  if (rest != 0) std::memcpy(tail, bytes.data() + at, rest);
  scan_vector(state, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tail)));
  scan.zero_bytes += counted(state.zeros) - (kVector - rest);
  scan.valid_utf8 = _mm256_testz_si256(state.errors, state.errors) != 0;
  return scan;
}

}  // namespace

bool simd_text_available() { return __builtin_cpu_supports("avx2") != 0; }

TextScan scan_text_simd(std::span<const std::byte> bytes) { return scan_avx2(bytes); }

#else

bool simd_text_available() { return false; }

TextScan scan_text_simd(std::span<const std::byte> bytes) {
  GGUFVET_ASSERT(false);
  return scan_text_portable(bytes);
}

#endif

}  // namespace ggufvet
