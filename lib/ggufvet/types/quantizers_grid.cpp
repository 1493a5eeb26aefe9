// Reference quantisers of IQ2_S, IQ3_XXS and IQ3_S. The grids are scanned where the reference keeps
// precomputed neighbour lists: slower, no state, the same rows in the same order.
#include <algorithm>

#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/quantize_blocks.h"
#include "ggufvet/types/quantize_grid.h"
#include "ggufvet/types/quantizers.h"

namespace ggufvet {
namespace {

// Rows as odd levels: the rank of each magnitude in its alphabet, doubled plus one.
template <std::size_t kCount, std::size_t kWidth>
struct Levels {
  std::uint8_t rows[kCount * kWidth] = {};
};

template <std::size_t kWidth, std::size_t kCount, class Row, class RankOf>
Levels<kCount, kWidth> levels_of(const Row (&grid)[kCount], RankOf rank_of) {
  Levels<kCount, kWidth> levels;
  for (std::size_t row = 0; row < kCount; ++row)
    for (std::size_t k = 0; k < kWidth; ++k)
      levels.rows[row * kWidth + k] = as_byte(2 * rank_of(grid_element(grid[row], static_cast<int>(k))) + 1);
  return levels;
}

// Magnitudes of 8 elements into the group; answers their signs.
std::uint32_t split_signs(const float* x, float* magnitudes) {
  std::uint32_t signs = 0;
  for (int j = 0; j < 8; ++j) {
    const bool negative = !(x[j] >= 0);
    magnitudes[j] = negative ? -x[j] : x[j];
    if (negative) signs |= 1u << j;
  }
  return signs;
}

// An odd number of minus signs cannot be stored: the least important element changes its sign.
std::uint32_t even_signs(const float* x, const float* weights, float* magnitudes, std::uint32_t signs) {
  if (std::popcount(signs) % 2 == 0) return signs;
  int least = 0;
  float least_cost = weights[0] * x[0] * x[0];
  for (int j = 1; j < 8; ++j) {
    const float cost = weights[j] * x[j] * x[j];
    if (cost < least_cost) {
      least_cost = cost;
      least = j;
    }
  }
  magnitudes[least] = -magnitudes[least];
  return signs ^ (1u << least);
}

// Scale k of a group as 0 .. 15: the decoder reads 2 k + 1 (or k + 1/2) of the largest one's 31st.
int scale_code(float inverse, float scale) {
  return clamp_int(nearest_int(0.5f * (inverse * scale - 1.0f)), 0, 15);
}

float largest_of(const float* scales, int count) {
  float largest = 0;
  for (int j = 0; j < count; ++j) largest = std::max(largest, scales[j]);
  return largest;
}

void quantize_block_iq3_xxs(const float* x, BlockIq3Xxs& block) {
  const auto levels = levels_of<4>(kGridIq3Xxs, [](int value) { return value / 8; });
  const LevelGrid grid{levels.rows, 256, 4, 8, 2};
  float scales[8];
  std::uint32_t words[8];
  for (int index = 0; index < 8; ++index) {
    const float* from = x + 32 * index;
    Group group{.count = 32};
    words[index] = 0;
    for (int j = 0; j < 32; ++j) group.weights[j] = from[j] * from[j];
    for (int l = 0; l < 4; ++l) {
      float* magnitudes = group.magnitudes + 8 * l;
      const std::uint32_t signs = split_signs(from + 8 * l, magnitudes);
      words[index] |= (even_signs(from + 8 * l, group.weights + 8 * l, magnitudes, signs) & 127) << (7 * l);
    }
    scales[index] = search_group(grid, {15, 0.2f, false, 1e-8f}, group);
    if (scales[index] == 0.0f) words[index] = 0;
    for (int run = 0; run < 8; ++run)
      block.qs[8 * index + run] = as_byte(find_row(grid, group.levels + 4 * run));
  }
  const float largest = largest_of(scales, 8);
  if (largest == 0.0f) {
    std::fill(std::begin(block.qs), std::end(block.qs), std::uint8_t{0});
    return;
  }
  const float d = largest / 31.0f;
  write_f16(block.d, d * 1.0125f);
  for (int index = 0; index < 8; ++index) {
    const auto code = static_cast<std::uint32_t>(scale_code(1 / d, scales[index]));
    write_u32(block.gas[index], words[index] | (code << 28));
  }
}

void quantize_block_iq3_s(const float* x, BlockIq3S& block) {
  const auto levels = levels_of<4>(kGridIq3S, [](int value) { return value / 2; });
  const LevelGrid grid{levels.rows, 512, 4, 8, 3};
  float scales[8];
  for (int index = 0; index < 8; ++index) {
    const float* from = x + 32 * index;
    Group group{.count = 32};
    for (int j = 0; j < 32; ++j) group.weights[j] = from[j] * from[j];
    std::uint32_t signs[4];
    for (int l = 0; l < 4; ++l) signs[l] = split_signs(from + 8 * l, group.magnitudes + 8 * l);
    scales[index] = search_group(grid, {9, 0.2f, true, 0.0f}, group);
    if (scales[index] == 0.0f) continue;
    for (int run = 0; run < 8; ++run) {
      const int row = find_row(grid, group.levels + 4 * run);
      block.qs[8 * index + run] = as_byte(row);
      block.qh[index] |= as_byte((row >> 8) << run);
    }
    for (int l = 0; l < 4; ++l) block.signs[4 * index + l] = static_cast<std::uint8_t>(signs[l]);
  }
  const float largest = largest_of(scales, 8);
  if (largest == 0.0f) return;
  const float d = largest / 31.0f;
  write_f16(block.d, d * 1.033f);
  for (int index = 0; index < 8; ++index)
    block.scales[index >> 1] |= as_byte(scale_code(1 / d, scales[index]) << (4 * (index & 1)));
}

void quantize_block_iq2_s(const float* x, BlockIq2S& block) {
  const auto levels = levels_of<8>(kGridIq2S, [](int value) { return value / 20; });
  const LevelGrid grid{levels.rows, 1024, 8, 3, 1};
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += x[j] * x[j];
  const float variance = 2 * sum / 256.0f;
  float scales[16];
  for (int index = 0; index < 16; ++index) {
    const float* from = x + 16 * index;
    Group group{.count = 16};
    for (int j = 0; j < 16; ++j) group.weights[j] = 0.25f * variance + from[j] * from[j];
    std::uint32_t signs[2];
    for (int l = 0; l < 2; ++l) signs[l] = split_signs(from + 8 * l, group.magnitudes + 8 * l);
    scales[index] = search_group(grid, {9, 0.1f, false, 1e-8f}, group);
    if (scales[index] == 0.0f) continue;
    for (int l = 0; l < 2; ++l) {
      const int part = 2 * index + l;
      const int row = find_row(grid, group.levels + 8 * l);
      block.qs[part] = as_byte(row);
      block.qh[part >> 2] |= as_byte((row >> 8) << (2 * (part & 3)));
      block.signs[part] = static_cast<std::uint8_t>(signs[l]);
    }
  }
  const float largest = largest_of(scales, 16);
  if (largest == 0.0f) return;
  const float d = largest / 31.0f;
  write_f16(block.d, d * 0.9875f);
  for (int index = 0; index < 16; ++index)
    block.scales[index >> 1] |= as_byte(scale_code(1 / d, scales[index]) << (4 * (index & 1)));
}

}  // namespace

void quantize_iq3_xxs(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockIq3Xxs, quantize_block_iq3_xxs>(values, elements, row);
}

void quantize_iq3_s(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockIq3S, quantize_block_iq3_s>(values, elements, row);
}

void quantize_iq2_s(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockIq2S, quantize_block_iq2_s>(values, elements, row);
}

}  // namespace ggufvet
