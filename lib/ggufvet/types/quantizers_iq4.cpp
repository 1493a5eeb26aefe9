// Reference quantisers of IQ4_NL and IQ4_XS: non-linear 4-bit values; a scale is searched per 32 elements.
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/quantize_blocks.h"
#include "ggufvet/types/quantizers.h"

namespace ggufvet {
namespace {

constexpr const std::int8_t (&kValues)[16] = kValues4[0];

// The nearest of the sixteen values; the upper one in a tie.
int nearest_value(float x) {
  if (x <= static_cast<float>(kValues[0])) return 0;
  if (x >= static_cast<float>(kValues[15])) return 15;
  int lower = 0, upper = 15;
  while (upper - lower > 1) {
    const int middle = (lower + upper) / 2;
    if (x < static_cast<float>(kValues[middle]))
      upper = middle;
    else
      lower = middle;
  }
  const float below = x - static_cast<float>(kValues[upper - 1]);
  return below < static_cast<float>(kValues[upper]) - x ? upper - 1 : upper;
}

struct ProductSums {
  float product = 0;
  float square = 0;
};

ProductSums sums_at(const float* x, float inverse, std::uint8_t* codes) {
  ProductSums sums;
  for (int j = 0; j < 32; ++j) {
    const int code = nearest_value(inverse * x[j]);
    if (codes != nullptr) codes[j] = as_byte(code);
    const auto value = static_cast<float>(kValues[code]);
    const float weight = x[j] * x[j];
    sums.product += weight * value * x[j];
    sums.square += weight * value * value;
  }
  return sums;
}

// turns: how many neighbours to try on each side; without any, the table is turned the other way round and
// only the plain scale is used. codes: of the plain scale; all 0 for a block of zeros.
float search_scale_iq4(const float* x, int turns, std::uint8_t* codes) {
  const Extremes ends = extremes_of(x, 32);
  for (int j = 0; j < 32; ++j) codes[j] = 0;
  if (ends.magnitude < kGroupMagnitudeMin) return 0;
  const auto lowest = static_cast<float>(kValues[0]);
  const float first = turns > 0 ? -ends.value / lowest : ends.value / lowest;
  const ProductSums plain = sums_at(x, 1 / first, codes);
  float scale = plain.product / plain.square;
  float best = scale * plain.product;
  for (int turn = -turns; turns > 0 && turn <= turns; ++turn) {
    const ProductSums sums = sums_at(x, (static_cast<float>(turn) + lowest) / ends.value, nullptr);
    if (sums.square > 0 && sums.product * sums.product > best * sums.square) {
      scale = sums.product / sums.square;
      best = scale * sums.product;
    }
  }
  return scale;
}

void store_nibbles(const std::uint8_t* codes, std::uint8_t* bytes) {
  for (int j = 0; j < 16; ++j) bytes[j] = as_byte(codes[j] | (codes[j + 16] << 4));
}

void quantize_block_iq4_nl(const float* x, BlockIq4Nl& block) {
  std::uint8_t codes[32];
  write_f16(block.d, search_scale_iq4(x, 0, codes));
  store_nibbles(codes, block.qs);
}

void quantize_block_iq4_xs(const float* x, BlockIq4Xs& block) {
  constexpr int kTurns = 7;
  std::uint8_t codes[32];
  float scales[8];
  float largest_magnitude = 0, largest = 0;
  for (int group = 0; group < 8; ++group) {
    scales[group] = search_scale_iq4(x + 32 * group, kTurns, codes);
    if (std::fabs(scales[group]) > largest_magnitude) {
      largest_magnitude = std::fabs(scales[group]);
      largest = scales[group];
    }
  }
  const float d = -largest / 32.0f;
  write_f16(block.d, d);
  const float inverse = inverse_or_zero(d);
  std::uint32_t scales_h = 0;
  for (int group = 0; group < 8; ++group) {
    const int scale = clamp_int(nearest_int(inverse * scales[group]), -32, 31);
    const float inverse_scale = inverse_or_zero(d * static_cast<float>(scale));
    for (int j = 0; j < 32; ++j) codes[j] = as_byte(nearest_value(inverse_scale * x[32 * group + j]));
    store_nibbles(codes, block.qs + 16 * group);
    block.scales_l[group >> 1] |= as_byte(((scale + 32) & 15) << (4 * (group & 1)));
    scales_h |= static_cast<std::uint32_t>((scale + 32) >> 4) << (2 * group);
  }
  write_u16(block.scales_h, scales_h);
}

}  // namespace

void quantize_iq4_nl(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockIq4Nl, quantize_block_iq4_nl>(values, elements, row);
}

void quantize_iq4_xs(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockIq4Xs, quantize_block_iq4_xs>(values, elements, row);
}

}  // namespace ggufvet
