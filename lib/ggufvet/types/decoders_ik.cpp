// ik_llama.cpp's quants with a scale in every block. A selector bit of `extra` shifts a sub-block's value
// table.
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

void decode_block_q6_0(const BlockQ6_0& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int j = 0; j < 16; ++j) {
    const int high = block.qh[j & 7] >> (4 * (j >> 3));
    out[j] = as_float((low_nibble(block.qs[j]) | ((high & 3) << 4)) - 32) * d;
    out[j + 16] = as_float((high_nibble(block.qs[j]) | (((high >> 2) & 3) << 4)) - 32) * d;
  }
}

// In the loops below `part` counts sub-blocks of 16: part / 2 is the group of 32, part & 1 its half.

void decode_block_iq2_k(const BlockIq2K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int part = 0; part < 16; ++part) {
    const int group = part >> 1;
    const float scale = d * as_float(((block.scales[group] >> (4 * (part & 1))) & 15) - 8);
    const std::int8_t* values = kValues2[bit_at(extra, part)];
    const std::uint8_t* codes = block.qs + 32 * (group >> 2) + 16 * (part & 1);
    for (int j = 0; j < 16; ++j)
      out[16 * part + j] = scale * as_float(values[(codes[j] >> (2 * (group & 3))) & 3]);
  }
}

void decode_block_iq3_k(const BlockIq3K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t extra = read_u16(block.extra, order);
  const std::uint32_t negative = read_u16(block.scales_h, order);
  for (int part = 0; part < 16; ++part) {
    const int group = part >> 1;
    const int magnitude = 2 * ((block.scales_l[group] >> (4 * (part & 1))) & 15) + 1;
    const float scale = d * as_float(bit_at(negative, part) != 0 ? -magnitude : magnitude);
    const std::int8_t* values = kValues3[bit_at(extra, part)];
    const std::uint8_t* low = block.qs + 32 * (group >> 2) + 16 * (part & 1);
    const std::uint8_t* high = block.qh + 16 * (part & 1);
    for (int j = 0; j < 16; ++j)
      out[16 * part + j] =
          scale * as_float(values[((low[j] >> (2 * (group & 3))) & 3) | (bit_at(high[j], group) << 2)]);
  }
}

void decode_block_iq4_k(const BlockIq4K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int part = 0; part < 16; ++part) {
    const int low = (block.scales_l[part >> 1] >> (4 * (part & 1))) & 15;
    const int high = (block.scales_h[part >> 2] >> (2 * (part & 3))) & 3;
    const float scale = d * as_float((low | (high << 4)) - 32);
    const std::int8_t* values = kValues4[bit_at(extra, part)];
    const std::uint8_t* codes = block.qs + 16 * (part >> 1);
    const int shift = 4 * (part & 1);
    for (int j = 0; j < 16; ++j) out[16 * part + j] = scale * as_float(values[(codes[j] >> shift) & 15]);
  }
}

void decode_block_iq5_k(const BlockIq5K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int part = 0; part < 16; ++part) {
    const int low = (block.scales_l[part >> 1] >> (4 * (part & 1))) & 15;
    const int high = (block.scales_h[part >> 2] >> (2 * (part & 3))) & 3;
    const float scale = d * as_float((low | (high << 4)) - 32);
    const std::int8_t* values = kValues5[bit_at(extra, part)];
    const std::uint8_t* codes = block.qs + 32 * (part >> 2) + 16 * (part & 1);
    const std::uint8_t* fifth = block.qh + 16 * (part & 1);
    const int shift = 4 * ((part >> 1) & 1);
    for (int j = 0; j < 16; ++j)
      out[16 * part + j] =
          scale * as_float(values[((codes[j] >> shift) & 15) | (bit_at(fifth[j], part >> 1) << 4)]);
  }
}

// A cubic, innermost bracket first, each operation rounded: the reference's float path. Its integer kernels
// round the values to a table instead, and a build that fuses multiply and add differs in the last bits.
float value_iq6_k(int code, int shifted) {
  const float q = as_float(code);
  return (-127.0f + q * (6.2568f + q * (-0.11218f + q * 0.0011972f))) + as_float(shifted);
}

void decode_block_iq6_k(const BlockIq6K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * as_float(as_signed(block.scales[part]));
    const std::uint8_t* codes = block.qs + 32 * (part >> 2) + 16 * (part & 1);
    const std::uint8_t* high = block.qh + 32 * (part >> 3) + 16 * (part & 1);
    const int shift = 4 * ((part >> 1) & 1);
    const int high_shift = 2 * ((part >> 1) & 3);
    for (int j = 0; j < 16; ++j) {
      const int code = ((codes[j] >> shift) & 15) | (((high[j] >> high_shift) & 3) << 4);
      out[16 * part + j] = scale * value_iq6_k(code, bit_at(extra, part));
    }
  }
}

// 296 bytes, four more than mainline's block of the same name and id: a float sum follows the scale.
void decode_block_q8_k_ik(const BlockQ8KIk& block, ByteOrder order, float* out) {
  const float d = read_f32(block.d, order);
  for (int j = 0; j < 256; ++j) out[j] = d * as_float(as_signed(block.qs[j]));
}

}  // namespace

void decode_q6_0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ6_0, decode_block_q6_0>(row, elements, order, out);
}

void decode_iq2_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq2K, decode_block_iq2_k>(row, elements, order, out);
}

void decode_iq3_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq3K, decode_block_iq3_k>(row, elements, order, out);
}

void decode_iq4_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq4K, decode_block_iq4_k>(row, elements, order, out);
}

void decode_iq5_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq5K, decode_block_iq5_k>(row, elements, order, out);
}

void decode_iq6_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq6K, decode_block_iq6_k>(row, elements, order, out);
}

void decode_q8_k_ik(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ8KIk, decode_block_q8_k_ik>(row, elements, order, out);
}

}  // namespace ggufvet
