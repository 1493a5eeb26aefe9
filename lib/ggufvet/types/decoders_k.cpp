// K-quants: 256 elements, sub-blocks of 16 or 32 with small integer scales below one or two fp16 scales. The
// products d * scale are formed (and rounded) before the codes come in, and only subtracting a minimum
// rounds.
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decode_scales.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

void decode_block_q2_k(const BlockQ2K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const float dmin = read_f16(block.dmin, order);
  for (int part = 0; part < 16; ++part) {  // part = 8 * half + 2 * quarter + (second sixteen)
    const float scale = d * as_float(low_nibble(block.scales[part]));
    const float minimum = dmin * as_float(high_nibble(block.scales[part]));
    const int shift = 2 * ((part >> 1) & 3);
    const std::uint8_t* codes = block.qs + 32 * (part >> 3) + 16 * (part & 1);
    for (int l = 0; l < 16; ++l) out[16 * part + l] = scale * as_float((codes[l] >> shift) & 3) - minimum;
  }
}

void decode_block_q3_k(const BlockQ3K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * as_float(scale_q3_k(block.scales, part));
    const int quarter = (part >> 1) & 3;
    const std::uint8_t* codes = block.qs + 32 * (part >> 3) + 16 * (part & 1);
    const std::uint8_t* mask = block.hmask + 16 * (part & 1);
    for (int l = 0; l < 16; ++l) {
      const int missing = bit_at(mask[l], 4 * (part >> 3) + quarter) != 0 ? 0 : 4;
      out[16 * part + l] = scale * as_float(((codes[l] >> (2 * quarter)) & 3) - missing);
    }
  }
}

void decode_block_q4_k(const BlockQ4K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const float dmin = read_f16(block.dmin, order);
  for (int part = 0; part < 8; ++part) {  // even: low nibbles, odd: high nibbles of the same 32 bytes
    const ScaleMinimum pair = scale_minimum_k4(block.scales, part);
    const float scale = d * as_float(pair.scale);
    const float minimum = dmin * as_float(pair.minimum);
    const std::uint8_t* codes = block.qs + 32 * (part >> 1);
    const int shift = 4 * (part & 1);
    for (int l = 0; l < 32; ++l) out[32 * part + l] = scale * as_float((codes[l] >> shift) & 15) - minimum;
  }
}

void decode_block_q5_k(const BlockQ5K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const float dmin = read_f16(block.dmin, order);
  for (int part = 0; part < 8; ++part) {
    const ScaleMinimum pair = scale_minimum_k4(block.scales, part);
    const float scale = d * as_float(pair.scale);
    const float minimum = dmin * as_float(pair.minimum);
    const std::uint8_t* codes = block.qs + 32 * (part >> 1);
    const int shift = 4 * (part & 1);
    for (int l = 0; l < 32; ++l) {
      const int code = ((codes[l] >> shift) & 15) + 16 * bit_at(block.qh[l], part);
      out[32 * part + l] = scale * as_float(code) - minimum;
    }
  }
}

void decode_block_q6_k(const BlockQ6K& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int part = 0; part < 16; ++part) {
    const int half = part >> 3;
    const int quarter = (part >> 1) & 3;  // low nibbles of both 32-byte runs, then their high nibbles
    const float scale = d * as_float(as_signed(block.scales[part]));
    const std::uint8_t* low = block.ql + 64 * half + 32 * (quarter & 1) + 16 * (part & 1);
    const std::uint8_t* high = block.qh + 32 * half + 16 * (part & 1);
    for (int l = 0; l < 16; ++l) {
      const int code = ((low[l] >> (4 * (quarter >> 1))) & 15) | (((high[l] >> (2 * quarter)) & 3) << 4);
      out[16 * part + l] = scale * as_float(code - 32);
    }
  }
}

void decode_block_q8_k(const BlockQ8K& block, ByteOrder order, float* out) {
  const float d = read_f32(block.d, order);
  for (int j = 0; j < 256; ++j) out[j] = d * as_float(as_signed(block.qs[j]));
}

}  // namespace

void decode_q2_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ2K, decode_block_q2_k>(row, elements, order, out);
}

void decode_q3_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ3K, decode_block_q3_k>(row, elements, order, out);
}

void decode_q4_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ4K, decode_block_q4_k>(row, elements, order, out);
}

void decode_q5_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ5K, decode_block_q5_k>(row, elements, order, out);
}

void decode_q6_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ6K, decode_block_q6_k>(row, elements, order, out);
}

void decode_q8_k(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockQ8K, decode_block_q8_k>(row, elements, order, out);
}

}  // namespace ggufvet
