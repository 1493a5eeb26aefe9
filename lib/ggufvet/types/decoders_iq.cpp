// Codebook types: 256 elements in eight groups of 32; grids give magnitudes (IQ2, IQ3) or -1, 0, 1 (IQ1).
// Signs are multiplications by -1 in the reference, so a zero product becomes -0.
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

template <class Row>
void decode_signed_row(Row row, std::uint32_t signs, float scale, float* out) {
  for (int j = 0; j < static_cast<int>(sizeof(Row)); ++j)
    out[j] = with_sign(scale * as_float(grid_element(row, j)), (signs >> j) & 1);
}

float scale_iq2(float d, int scale) { return d * (0.5f + as_float(scale)) * 0.25f; }

void decode_block_iq2_xxs(const BlockIq2Xxs& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int group = 0; group < 8; ++group) {
    // Four indices and a word. The indices are bytes of a 32-bit word in the reference's view, but bytes in
    // any order.
    const std::uint8_t* indices = block.qs + 8 * group;
    const std::uint32_t word =
        read_u32(block_at<U32Field>(reinterpret_cast<const std::byte*>(indices), 1), order);
    const float scale = scale_iq2(d, static_cast<int>(word >> 28));
    for (int l = 0; l < 4; ++l)
      decode_signed_row(kGridIq2Xxs[indices[l]], signs_with_parity(word >> (7 * l)), scale,
                        out + 32 * group + 8 * l);
  }
}

void decode_block_iq2_xs(const BlockIq2Xs& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int part = 0; part < 32; ++part) {
    const std::uint32_t word = read_u16(block.qs[part], order);
    const float scale = scale_iq2(d, (block.scales[part >> 2] >> (4 * ((part >> 1) & 1))) & 15);
    decode_signed_row(kGridIq2Xs[word & 511], signs_with_parity(word >> 9), scale, out + 8 * part);
  }
}

void decode_block_iq2_s(const BlockIq2S& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int part = 0; part < 32; ++part) {
    const float scale = scale_iq2(d, (block.scales[part >> 2] >> (4 * ((part >> 1) & 1))) & 15);
    const int index = block.qs[part] | (((block.qh[part >> 2] >> (2 * (part & 3))) & 3) << 8);
    decode_signed_row(kGridIq2S[index], block.signs[part], scale, out + 8 * part);
  }
}

void decode_block_iq3_xxs(const BlockIq3Xxs& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t word = read_u32(block.gas[group], order);
    const float scale = d * (0.5f + as_float(static_cast<int>(word >> 28))) * 0.5f;
    for (int l = 0; l < 4; ++l) {
      const std::uint32_t signs = signs_with_parity(word >> (7 * l));
      const std::uint8_t* indices = block.qs + 8 * group + 2 * l;
      decode_signed_row(kGridIq3Xxs[indices[0]], signs, scale, out + 32 * group + 8 * l);
      decode_signed_row(kGridIq3Xxs[indices[1]], signs >> 4, scale, out + 32 * group + 8 * l + 4);
    }
  }
}

void decode_block_iq3_s(const BlockIq3S& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int group = 0; group < 8; ++group) {
    const float scale = d * as_float(1 + 2 * ((block.scales[group >> 1] >> (4 * (group & 1))) & 15));
    for (int l = 0; l < 8; ++l) {
      const int index = block.qs[8 * group + l] | (bit_at(block.qh[group], l) << 8);
      const int signs = block.signs[4 * group + (l >> 1)] >> (4 * (l & 1));
      decode_signed_row(kGridIq3S[index], static_cast<std::uint32_t>(signs), scale, out + 32 * group + 4 * l);
    }
  }
}

void decode_shifted_row(int index, bool negative_shift, float scale, float* out) {
  const float shift = negative_shift ? -0.125f : 0.125f;
  for (int j = 0; j < 8; ++j) out[j] = scale * (as_float(grid_element(kGridIq1[index], j)) + shift);
}

void decode_block_iq1_s(const BlockIq1S& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t high = read_u16(block.qh[group], order);
    const float scale = d * as_float(2 * static_cast<int>((high >> 12) & 7) + 1);
    for (int l = 0; l < 4; ++l) {
      const int index = block.qs[4 * group + l] | (static_cast<int>((high >> (3 * l)) & 7) << 8);
      decode_shifted_row(index, bit_at(high, 15) != 0, scale, out + 32 * group + 8 * l);
    }
  }
}

void decode_block_iq1_m(const BlockIq1M& block, ByteOrder order, float* out) {
  std::uint32_t packed[4];
  std::uint32_t d_bits = 0;
  for (int j = 0; j < 4; ++j) {
    packed[j] = read_u16(block.scales[j], order);
    d_bits |= (packed[j] >> 12) << (4 * j);
  }
  const float d = f16_to_f32(static_cast<std::uint16_t>(d_bits));
  for (int part = 0; part < 32; ++part) {
    const int sixteen = part >> 1;
    const auto scale = static_cast<int>((packed[sixteen >> 2] >> (3 * (sixteen & 3))) & 7);
    const int high = (block.qh[part >> 1] >> (4 * (part & 1))) & 15;
    decode_shifted_row(block.qs[part] | ((high & 7) << 8), high >= 8, d * as_float(2 * scale + 1),
                       out + 8 * part);
  }
}

void decode_block_iq4_xs(const BlockIq4Xs& block, ByteOrder order, float* out) {
  const float d = read_f16(block.d, order);
  const std::uint32_t scales_h = read_u16(block.scales_h, order);
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales_l[group >> 1] >> (4 * (group & 1))) & 15;
    const int high = static_cast<int>((scales_h >> (2 * group)) & 3);
    const float scale = d * as_float((low | (high << 4)) - 32);
    for (int j = 0; j < 16; ++j) {
      const std::uint8_t codes = block.qs[16 * group + j];
      out[32 * group + j] = scale * as_float(kValues4[0][low_nibble(codes)]);
      out[32 * group + j + 16] = scale * as_float(kValues4[0][high_nibble(codes)]);
    }
  }
}

}  // namespace

void decode_iq2_xxs(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq2Xxs, decode_block_iq2_xxs>(row, elements, order, out);
}

void decode_iq2_xs(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq2Xs, decode_block_iq2_xs>(row, elements, order, out);
}

void decode_iq2_s(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq2S, decode_block_iq2_s>(row, elements, order, out);
}

void decode_iq3_xxs(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq3Xxs, decode_block_iq3_xxs>(row, elements, order, out);
}

void decode_iq3_s(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq3S, decode_block_iq3_s>(row, elements, order, out);
}

void decode_iq1_s(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq1S, decode_block_iq1_s>(row, elements, order, out);
}

void decode_iq1_m(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq1M, decode_block_iq1_m>(row, elements, order, out);
}

void decode_iq4_xs(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq4Xs, decode_block_iq4_xs>(row, elements, order, out);
}

}  // namespace ggufvet
