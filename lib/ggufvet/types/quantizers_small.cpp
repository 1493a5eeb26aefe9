// Reference quantisers of the plain types and of blocks with one scale: the scale follows from the extremes,
// every element is rounded by itself.
#include <algorithm>

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/quantize_blocks.h"
#include "ggufvet/types/quantizers.h"

namespace ggufvet {
namespace {

void quantize_block_q4_0(const float* x, BlockQ4_0& block) {
  const float d = extremes_of(x, 32).value / -8.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  const auto code = [&](float value) {
    return std::min(15, int{static_cast<std::int8_t>(truncate_to_int(value * inverse + 8.5f))});
  };
  for (int j = 0; j < 16; ++j) block.qs[j] = as_byte(as_byte(code(x[j])) | (as_byte(code(x[j + 16])) << 4));
}

void quantize_block_q4_1(const float* x, BlockQ4_1& block) {
  const Extremes ends = extremes_of(x, 32);
  const float d = (ends.greatest - ends.least) / 15.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  write_f16(block.m, ends.least);
  const auto code = [&](float value) {
    return std::min(15,
                    int{static_cast<std::int8_t>(truncate_to_int((value - ends.least) * inverse + 0.5f))});
  };
  for (int j = 0; j < 16; ++j) block.qs[j] = as_byte(as_byte(code(x[j])) | (as_byte(code(x[j + 16])) << 4));
}

// Five-bit codes: nibbles in order, the fifth bits in one word.
void store_q5(const std::uint8_t* codes, std::uint8_t* nibbles, U32Field& high) {
  std::uint32_t bits = 0;
  for (int j = 0; j < 16; ++j) {
    nibbles[j] = as_byte((codes[j] & 15) | ((codes[j + 16] & 15) << 4));
    bits |= ((codes[j] & 16u) >> 4) << j;
    bits |= ((codes[j + 16] & 16u) >> 4) << (j + 16);
  }
  write_u32(high, bits);
}

void quantize_block_q5_0(const float* x, BlockQ5_0& block) {
  const float d = extremes_of(x, 32).value / -16.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  std::uint8_t codes[32];
  for (int j = 0; j < 32; ++j)
    codes[j] = as_byte(std::min(31, int{static_cast<std::int8_t>(truncate_to_int(x[j] * inverse + 16.5f))}));
  store_q5(codes, block.qs, block.qh);
}

void quantize_block_q5_1(const float* x, BlockQ5_1& block) {
  const Extremes ends = extremes_of(x, 32);
  const float d = (ends.greatest - ends.least) / 31.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  write_f16(block.m, ends.least);
  std::uint8_t codes[32];
  for (int j = 0; j < 32; ++j) codes[j] = as_byte(truncate_to_int((x[j] - ends.least) * inverse + 0.5f));
  store_q5(codes, block.qs, block.qh);
}

void quantize_block_q8_0(const float* x, BlockQ8_0& block) {
  const float d = extremes_of(x, 32).magnitude / 127.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  for (int j = 0; j < 32; ++j) block.qs[j] = as_byte(round_to_int(x[j] * inverse));
}

void quantize_block_q8_1(const float* x, BlockQ8_1& block) {
  const float d = extremes_of(x, 32).magnitude / 127.0f;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  int sum = 0;
  for (int j = 0; j < 32; ++j) {
    block.qs[j] = as_byte(round_to_int(x[j] * inverse));
    sum += static_cast<std::int8_t>(block.qs[j]);
  }
  write_f16(block.s, static_cast<float>(sum) * d);  // the scale before it was rounded to fp16
}

void quantize_block_q8_k(const float* x, BlockQ8K& block) {
  const Extremes ends = extremes_of(x, 256);
  if (ends.magnitude == 0.0f) return;
  const float inverse = -127.0f / ends.value;
  for (int j = 0; j < 256; ++j) block.qs[j] = as_byte(std::min(127, nearest_int(inverse * x[j])));
  for (int part = 0; part < 16; ++part) {
    int sum = 0;
    for (int j = 0; j < 16; ++j) sum += static_cast<std::int8_t>(block.qs[16 * part + j]);
    write_u16(block.bsums[part], static_cast<std::uint32_t>(sum) & 0xFFFFu);
  }
  write_f32(block.d, 1.0f / inverse);
}

// Ternary codes 0, 1, 2 of value / largest magnitude.
int trit_of(float value, float inverse) { return round_to_int(value * inverse) + 1; }

// Base-3 digits, the first most significant, as the binary fraction a decoder multiplies by 3.
std::uint8_t pack_trits(int digits) { return as_byte((digits * 256 + 242) / 243); }

void quantize_block_tq1_0(const float* x, BlockTq1_0& block) {
  const float d = extremes_of(x, 256).magnitude;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  const auto run = [&](std::uint8_t* bytes, int count, int digits, const float* from) {
    for (int m = 0; m < count; ++m) {
      int packed = 0;
      for (int n = 0; n < 5; ++n) {
        const int trit = n < digits ? clamp_int(trit_of(from[m + n * count], inverse), 0, 2) : 0;
        packed = packed * 3 + trit;
      }
      bytes[m] = pack_trits(packed);
    }
  };
  run(block.qs, 32, 5, x);
  run(block.qs + 32, 16, 5, x + 160);
  run(block.qh, 4, 4, x + 240);
}

void quantize_block_tq2_0(const float* x, BlockTq2_0& block) {
  const float d = extremes_of(x, 256).magnitude;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  for (int half = 0; half < 2; ++half)
    for (int m = 0; m < 32; ++m)
      for (int l = 0; l < 4; ++l)
        block.qs[32 * half + m] |= as_byte((trit_of(x[128 * half + 32 * l + m], inverse) & 3) << (2 * l));
}

void quantize_block_q1_0(const float* x, BlockQ1_0& block) {
  float sum = 0;
  for (int j = 0; j < 128; ++j) {
    sum += std::fabs(x[j]);
    if (x[j] >= 0) block.qs[j >> 3] |= as_byte(1 << (j & 7));
  }
  write_f16(block.d, sum / 128.0f);
}

void quantize_block_q2_0(const float* x, BlockQ2_0& block) {
  const float d = extremes_of(x, 64).magnitude;
  const float inverse = inverse_or_zero(d);
  write_f16(block.d, d);
  for (int j = 0; j < 64; ++j)
    block.qs[j >> 2] |= as_byte(clamp_int(trit_of(x[j], inverse), 0, 3) << (2 * (j & 3)));
}

// The nearest of the sixteen FP4 values times a scale; the earlier one in a tie.
int nearest_fp4(float value, float scale) {
  int best = 0;
  float best_distance = std::fabs(static_cast<float>(kValuesE2M1[0]) * scale - value);
  for (int code = 1; code < 16; ++code) {
    const float distance = std::fabs(static_cast<float>(kValuesE2M1[code]) * scale - value);
    if (distance < best_distance) {
      best = code;
      best_distance = distance;
    }
  }
  return best;
}

void quantize_block_mxfp4(const float* x, BlockMxfp4& block) {
  const float magnitude = extremes_of(x, 32).magnitude;
  // The reference takes a float logarithm, which rounds up to the integer just below a power of two. A double
  // one, rounded to float, is the same function on every C library.
  const auto log = static_cast<float>(std::log2(static_cast<double>(magnitude)));
  block.e = magnitude > 0.0f ? as_byte(truncate_to_int(std::floor(log)) + (127 - 2)) : std::uint8_t{0};
  const float scale = e8m0_half_to_f32(block.e);
  for (int j = 0; j < 16; ++j)
    block.qs[j] = as_byte(nearest_fp4(x[j], scale) | (nearest_fp4(x[j + 16], scale) << 4));
}

// UE4M3, half up; at least 15 in the exponent field or above 448 gives the largest finite value.
std::uint8_t ue4m3_of(float value) {
  if (!(value > 0.0f)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(std::min(value, 448.0f));
  const int exponent = static_cast<int>(bits >> 23) - 127 + 7;
  if (exponent <= 0) return as_byte(std::min(7, truncate_to_int(value * 512.0f + 0.5f)));
  // Adding the first dropped bit carries into the exponent where the mantissa is full.
  const std::uint32_t rounded =
      ((static_cast<std::uint32_t>(exponent) << 3) | ((bits >> 20) & 7u)) + ((bits >> 19) & 1u);
  return exponent >= 15 || rounded >= 0x78 ? std::uint8_t{0x7E} : static_cast<std::uint8_t>(rounded);
}

void quantize_block_nvfp4(const float* x, BlockNvfp4& block) {
  for (int part = 0; part < 4; ++part) {
    const float* from = x + 16 * part;
    block.d[part] = ue4m3_of(extremes_of(from, 16).magnitude / 6.0f);
    const float scale = ue4m3_half_to_f32(block.d[part]);
    for (int j = 0; j < 8; ++j)
      block.qs[8 * part + j] = as_byte(nearest_fp4(from[j], scale) | (nearest_fp4(from[j + 8], scale) << 4));
  }
}

}  // namespace

void quantize_f16(const float* values, std::uint64_t elements, std::byte* row) {
  for (std::uint64_t j = 0; j < elements; ++j)
    store<std::uint16_t>(row + 2 * j, f32_to_f16(values[j]), ByteOrder::little);
}

void quantize_bf16(const float* values, std::uint64_t elements, std::byte* row) {
  for (std::uint64_t j = 0; j < elements; ++j)
    store<std::uint16_t>(row + 2 * j, f32_to_bf16(values[j]), ByteOrder::little);
}

void quantize_q4_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ4_0, quantize_block_q4_0>(values, elements, row);
}

void quantize_q4_1(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ4_1, quantize_block_q4_1>(values, elements, row);
}

void quantize_q5_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ5_0, quantize_block_q5_0>(values, elements, row);
}

void quantize_q5_1(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ5_1, quantize_block_q5_1>(values, elements, row);
}

void quantize_q8_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ8_0, quantize_block_q8_0>(values, elements, row);
}

void quantize_q8_1(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ8_1, quantize_block_q8_1>(values, elements, row);
}

void quantize_q8_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ8K, quantize_block_q8_k>(values, elements, row);
}

void quantize_tq1_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockTq1_0, quantize_block_tq1_0>(values, elements, row);
}

void quantize_tq2_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockTq2_0, quantize_block_tq2_0>(values, elements, row);
}

void quantize_q1_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ1_0, quantize_block_q1_0>(values, elements, row);
}

void quantize_q2_0(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ2_0, quantize_block_q2_0>(values, elements, row);
}

void quantize_mxfp4(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockMxfp4, quantize_block_mxfp4>(values, elements, row);
}

void quantize_nvfp4(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockNvfp4, quantize_block_nvfp4>(values, elements, row);
}

}  // namespace ggufvet
