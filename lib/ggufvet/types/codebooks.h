// The constant tables of codebook types. Constant data, nothing is built at start-up. Grid rows are packed
// into one integer, element j in bits 8j .. 8j+7 (two's complement), so that a lookup is one load on every
// byte order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ggufvet {

extern const std::uint64_t kGridIq2Xxs[256];
extern const std::uint64_t kGridIq2Xs[512];
extern const std::uint64_t kGridIq2S[1024];
extern const std::uint64_t kGridIq1[2048];        // IQ1_S and IQ1_M
extern const std::uint16_t kGridIq1Packed[2048];  // the same rows, value + 1 in two bits an element
extern const std::uint32_t kGridIq3Xxs[256];
extern const std::uint32_t kGridIq3S[512];

// Element j of a packed grid row.
template <class Row>
[[nodiscard]] constexpr int grid_element(Row row, int index) {
  return static_cast<std::int8_t>((row >> (8 * index)) & 0xFF);
}

// IQ2_XXS, IQ2_XS and IQ3_XXS store seven signs of eight; the eighth makes the number of minus signs even.
[[nodiscard]] constexpr std::uint8_t signs_with_parity(std::uint32_t seven_signs) {
  const auto odd = static_cast<std::uint32_t>(std::popcount(seven_signs & 127u)) & 1u;
  return static_cast<std::uint8_t>((seven_signs & 127u) | (odd << 7));
}

// Non-linear 4-bit values of IQ4_NL and IQ4_XS; ik_llama's IQ4_K family adds a second, shifted row.
inline constexpr std::int8_t kValues4[2][16] = {
    {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113},
    {-123, -100, -79, -61, -45, -31, -18, -6, 5, 17, 29, 42, 57, 73, 93, 117}};

// E2M1 doubled. Code 8 is +0, not -0: the table holds integers.
inline constexpr std::int8_t kValuesE2M1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// ik_llama: the second row is the one a selector bit chooses.
inline constexpr std::int8_t kValues2[2][4] = {{-31, -13, 1, 17}, {-26, -8, 6, 22}};
inline constexpr std::int8_t kValues3[2][8] = {{-63, -40, -23, -10, 1, 13, 28, 47},
                                               {-59, -36, -19, -6, 5, 17, 32, 51}};
inline constexpr std::int8_t kValues5[2][32] = {
    {-126, -114, -103, -92, -83, -74, -65, -57, -50, -43, -36, -30, -24, -18, -12, -6,
     -1,   5,    11,   17,  23,  29,  36,  43,  51,  59,  68,  77,  87,  97,  109, 121},
    {-124, -112, -101, -90, -81, -72, -63, -55, -48, -41, -34, -28, -22, -16, -10, -4,
     1,    7,    13,   19,  25,  31,  38,  45,  53,  61,  70,  79,  89,  99,  111, 123}};

// IQ2_KL: pairs of values, the first in the low byte.
inline constexpr std::uint16_t kPairsIq2Kl[32] = {
    0xE9C1, 0x0DC1, 0xC1D8, 0xF6D8, 0x0DD8, 0x2FD8, 0xD8E9, 0xE9E9, 0x01E9, 0x0DE9, 0x1CE9,
    0xC1F6, 0x01F6, 0x0DF6, 0x2FF6, 0xE901, 0xF601, 0x0101, 0x0D01, 0x1C01, 0xD80D, 0xE90D,
    0xF60D, 0x010D, 0x0D0D, 0xC11C, 0xE91C, 0x011C, 0x1C1C, 0x2F1C, 0xE92F, 0x0D2F};

// STQ1_0: [sign][code], lane k of four in bits 2k .. 2k+1 as value + 1. Exactly one lane of each pattern is
// zero.
inline constexpr std::uint8_t kPatternsStq1[2][16] = {
    {0xA9, 0x89, 0x29, 0x09, 0xA6, 0x86, 0x26, 0x06, 0x9A, 0x92, 0x1A, 0x12, 0x6A, 0x62, 0x4A, 0x42},
    {0x01, 0x21, 0x81, 0xA1, 0x04, 0x24, 0x84, 0xA4, 0x10, 0x18, 0x90, 0x98, 0x40, 0x48, 0x60, 0x68}};

}  // namespace ggufvet
