// Reference quantisers of the K-quants: scales of sub-blocks are searched, rounded against the largest of
// them, and the codes are then rounded once more against what the decoder will see.
#include <algorithm>

#include "ggufvet/types/decode_scales.h"
#include "ggufvet/types/quantize_blocks.h"
#include "ggufvet/types/quantize_search.h"
#include "ggufvet/types/quantizers.h"

namespace ggufvet {
namespace {

// 256 two-bit codes, runs of 32 elements above each other.
void store_crumbs(const std::uint8_t* codes, std::uint8_t* bytes) {
  for (int half = 0; half < 2; ++half)
    for (int l = 0; l < 32; ++l)
      for (int quarter = 0; quarter < 4; ++quarter)
        bytes[32 * half + l] |= as_byte((codes[128 * half + 32 * quarter + l] & 3) << (2 * quarter));
}

void quantize_block_q2_k(const float* x, BlockQ2K& block) {
  std::uint8_t codes[256];
  ScaleOffset parts[16];
  ScaleOffset largest;
  for (int part = 0; part < 16; ++part) {
    float weights[16];
    for (int l = 0; l < 16; ++l) weights[l] = std::fabs(x[16 * part + l]);
    parts[part] =
        search_scale_offset(x + 16 * part, weights, 16, 3, {-0.5f, 0.1f, 15, true}, codes + 16 * part);
    if (parts[part].scale > largest.scale) largest.scale = parts[part].scale;
    if (parts[part].offset > largest.offset) largest.offset = parts[part].offset;
  }
  if (largest.scale > 0) {
    const float inverse = 15.0f / largest.scale;
    for (int part = 0; part < 16; ++part)
      block.scales[part] = as_byte(nearest_int(inverse * parts[part].scale));
    write_f16(block.d, largest.scale / 15.0f);
  }
  if (largest.offset > 0) {
    const float inverse = 15.0f / largest.offset;
    for (int part = 0; part < 16; ++part)
      block.scales[part] |= as_byte(nearest_int(inverse * parts[part].offset) << 4);
    write_f16(block.dmin, largest.offset / 15.0f);
  }
  for (int part = 0; part < 16; ++part) {
    const float d = stored_f16(block.d) * static_cast<float>(block.scales[part] & 15);
    if (d == 0.0f) continue;
    const float offset = stored_f16(block.dmin) * static_cast<float>(block.scales[part] >> 4);
    for (int l = 16 * part; l < 16 * part + 16; ++l)
      codes[l] = as_byte(clamp_int(nearest_int((x[l] + offset) / d), 0, 3));
  }
  store_crumbs(codes, block.qs);
}

void quantize_block_q3_k(const float* x, BlockQ3K& block) {
  std::int8_t codes[256];
  float scales[16];
  float largest_magnitude = 0, largest = 0;
  for (int part = 0; part < 16; ++part) {
    scales[part] = search_codes(x + 16 * part, 16, 4, codes + 16 * part);
    if (std::fabs(scales[part]) > largest_magnitude) {
      largest_magnitude = std::fabs(scales[part]);
      largest = scales[part];
    }
  }
  if (largest != 0.0f) {
    const float inverse = -32.0f / largest;
    for (int part = 0; part < 16; ++part) {
      const int scale = clamp_int(nearest_int(inverse * scales[part]), -32, 31) + 32;
      block.scales[part & 7] |= as_byte((scale & 15) << (4 * (part >> 3)));
      block.scales[8 + (part & 3)] |= as_byte((scale >> 4) << (2 * (part >> 2)));
    }
    write_f16(block.d, 1 / inverse);
  }
  for (int part = 0; part < 16; ++part) {
    const float d = stored_f16(block.d) * static_cast<float>(scale_q3_k(block.scales, part));
    if (d == 0.0f) continue;
    for (int l = 16 * part; l < 16 * part + 16; ++l)
      codes[l] = static_cast<std::int8_t>(clamp_int(nearest_int(x[l] / d), -4, 3) + 4);
  }
  std::uint8_t low[256];
  for (int l = 0; l < 256; ++l) {
    if (codes[l] > 3) block.hmask[l & 31] |= as_byte(1 << (l >> 5));
    low[l] = as_byte(codes[l] & 3);
  }
  store_crumbs(low, block.qs);
}

// Six-bit scales and minima of eight sub-blocks, packed as scale_minimum_k4 reads them, and the two fp16
// above them.
template <class Block>
void store_scales_k4(const ScaleOffset* parts, Block& block) {
  ScaleOffset largest;
  for (int part = 0; part < 8; ++part) {
    if (parts[part].scale > largest.scale) largest.scale = parts[part].scale;
    if (parts[part].offset > largest.offset) largest.offset = parts[part].offset;
  }
  const float inverse_scale = largest.scale > 0 ? 63.0f / largest.scale : 0.0f;
  const float inverse_offset = largest.offset > 0 ? 63.0f / largest.offset : 0.0f;
  for (int part = 0; part < 8; ++part) {
    const int scale = std::min(63, int{as_byte(nearest_int(inverse_scale * parts[part].scale))});
    const int minimum = std::min(63, int{as_byte(nearest_int(inverse_offset * parts[part].offset))});
    if (part < 4) {
      block.scales[part] = as_byte(scale);
      block.scales[part + 4] = as_byte(minimum);
    } else {
      block.scales[part + 4] = as_byte((scale & 15) | ((minimum & 15) << 4));
      block.scales[part - 4] |= as_byte((scale >> 4) << 6);
      block.scales[part] |= as_byte((minimum >> 4) << 6);
    }
  }
  write_f16(block.d, largest.scale / 63.0f);
  write_f16(block.dmin, largest.offset / 63.0f);
}

// The codes of eight sub-blocks of 32 against what the decoder sees; a sub-block whose scale is zero keeps
// the search's.
template <class Block>
void code_k4(const float* x, int levels, ScaleSearch search, Block& block, std::uint8_t* codes) {
  ScaleOffset parts[8];
  for (int part = 0; part < 8; ++part) {
    const float* from = x + 32 * part;
    float sum = 0;
    for (int l = 0; l < 32; ++l) sum += from[l] * from[l];
    const float average = std::sqrt(sum / 32.0f);
    float weights[32];
    for (int l = 0; l < 32; ++l) weights[l] = average + std::fabs(from[l]);
    parts[part] = search_scale_offset(from, weights, 32, levels, search, codes + 32 * part);
  }
  store_scales_k4(parts, block);
  for (int part = 0; part < 8; ++part) {
    const ScaleMinimum pair = scale_minimum_k4(block.scales, part);
    const float d = stored_f16(block.d) * static_cast<float>(pair.scale);
    if (d == 0.0f) continue;
    const float offset = stored_f16(block.dmin) * static_cast<float>(pair.minimum);
    for (int l = 32 * part; l < 32 * part + 32; ++l)
      codes[l] = as_byte(clamp_int(nearest_int((x[l] + offset) / d), 0, levels));
  }
}

void quantize_block_q4_k(const float* x, BlockQ4K& block) {
  std::uint8_t codes[256];
  code_k4(x, 15, {-1.0f, 0.1f, 20, false}, block, codes);
  for (int pair = 0; pair < 4; ++pair)
    for (int l = 0; l < 32; ++l)
      block.qs[32 * pair + l] = as_byte(codes[64 * pair + l] | (codes[64 * pair + 32 + l] << 4));
}

void quantize_block_q5_k(const float* x, BlockQ5K& block) {
  std::uint8_t codes[256];
  code_k4(x, 31, {-0.5f, 0.1f, 15, false}, block, codes);
  for (int pair = 0; pair < 4; ++pair) {
    for (int l = 0; l < 32; ++l) {
      const int first = codes[64 * pair + l];
      const int second = codes[64 * pair + 32 + l];
      block.qs[32 * pair + l] = as_byte((first & 15) | ((second & 15) << 4));
      block.qh[l] |= as_byte(((first >> 4) << (2 * pair)) | ((second >> 4) << (2 * pair + 1)));
    }
  }
}

void quantize_block_q6_k(const float* x, BlockQ6K& block) {
  std::int8_t codes[256];
  float scales[16];
  float largest_magnitude = 0, largest = 0;
  for (int part = 0; part < 16; ++part) {
    scales[part] = search_scale(x + 16 * part, 16, 32, codes + 16 * part);
    if (std::fabs(scales[part]) > largest_magnitude) {
      largest_magnitude = std::fabs(scales[part]);
      largest = scales[part];
    }
  }
  if (largest_magnitude < kGroupMagnitudeMin) return;
  const float inverse = -128.0f / largest;
  write_f16(block.d, 1 / inverse);
  for (int part = 0; part < 16; ++part) {
    block.scales[part] = as_byte(std::min(127, nearest_int(inverse * scales[part])));
    const float d = stored_f16(block.d) * static_cast<float>(static_cast<std::int8_t>(block.scales[part]));
    if (d == 0.0f) continue;
    for (int l = 16 * part; l < 16 * part + 16; ++l)
      codes[l] = static_cast<std::int8_t>(clamp_int(nearest_int(x[l] / d), -32, 31) + 32);
  }
  for (int half = 0; half < 2; ++half) {
    for (int l = 0; l < 32; ++l) {
      const std::int8_t* from = codes + 128 * half + l;
      block.ql[64 * half + l] = as_byte((from[0] & 15) | ((from[64] & 15) << 4));
      block.ql[64 * half + 32 + l] = as_byte((from[32] & 15) | ((from[96] & 15) << 4));
      block.qh[32 * half + l] =
          as_byte((from[0] >> 4) | ((from[32] >> 4) << 2) | ((from[64] >> 4) << 4) | ((from[96] >> 4) << 6));
    }
  }
}

}  // namespace

void quantize_q2_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ2K, quantize_block_q2_k>(values, elements, row);
}

void quantize_q3_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ3K, quantize_block_q3_k>(values, elements, row);
}

void quantize_q4_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ4K, quantize_block_q4_k>(values, elements, row);
}

void quantize_q5_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ5K, quantize_block_q5_k>(values, elements, row);
}

void quantize_q6_k(const float* values, std::uint64_t elements, std::byte* row) {
  quantize_row<BlockQ6K, quantize_block_q6_k>(values, elements, row);
}

}  // namespace ggufvet
