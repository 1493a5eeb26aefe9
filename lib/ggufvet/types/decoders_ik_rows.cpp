// ik_llama.cpp's quants whose rows begin with a scale of their own (f32 or fp16): reading blocks from the
// row's first byte, or stepping by blocks alone, decodes noise.
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decode_trellis.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {
namespace {

// Seven bits of scale around 127 and, in bit 0, the selector of the value table.
float scale_ks(float row_scale, int byte) { return row_scale * as_float((byte & 254) - 127); }

void decode_group_iq4_ks(const std::uint8_t* codes, int scale_byte, float row_scale, float* out) {
  const float scale = scale_ks(row_scale, scale_byte);
  const std::int8_t* values = kValues4[scale_byte & 1];
  for (int j = 0; j < 16; ++j) {
    out[j] = scale * as_float(values[low_nibble(codes[j])]);
    out[j + 16] = scale * as_float(values[high_nibble(codes[j])]);
  }
}

void decode_block_iq4_ks(const BlockIq4Ks& block, float row_scale, ByteOrder, float* out) {
  for (int group = 0; group < 8; ++group)
    decode_group_iq4_ks(block.qs + 16 * group, block.scales[group], row_scale, out + 32 * group);
}

// The scale bytes are spread over the low bits of the words; the words are Gray-coded above that bit.
void decode_block_iq4_kss(const BlockIq4Kss& block, float row_scale, ByteOrder order, float* out) {
  for (int group = 0; group < 8; ++group) {
    std::uint8_t codes[16];
    int scale_byte = 0;
    for (int k = 0; k < 8; ++k) {
      const std::uint32_t word = read_u16(block.qs[8 * group + k], order);
      scale_byte |= static_cast<int>(word & 1) << k;
      const std::uint32_t gray = word & 0xFFFE;
      const std::uint32_t plain = gray ^ (gray >> 1);
      codes[2 * k] = static_cast<std::uint8_t>(plain & 255);
      codes[2 * k + 1] = static_cast<std::uint8_t>(plain >> 8);
    }
    decode_group_iq4_ks(codes, scale_byte, row_scale, out + 32 * group);
  }
}

void decode_block_iq5_ks(const BlockIq5Ks& block, float row_scale, ByteOrder, float* out) {
  for (int group = 0; group < 8; ++group) {
    const float scale = scale_ks(row_scale, block.scales[group]);
    const std::int8_t* values = kValues5[block.scales[group] & 1];
    const std::uint8_t* codes = block.qs + 32 * (group >> 1);
    const int shift = 4 * (group & 1);
    for (int j = 0; j < 32; ++j)
      out[32 * group + j] =
          scale * as_float(values[((codes[j] >> shift) & 15) | (bit_at(block.qh[j], group) << 4)]);
  }
}

void decode_block_iq2_ks(const BlockIq2Ks& block, float row_scale, ByteOrder order, float* out) {
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales[group >> 1] >> (4 * (group & 1))) & 15;
    const float scale = row_scale * as_float((low | (bit_at(extra, 8 + group) << 4)) - 16);
    const std::int8_t* values = kValues2[bit_at(extra, group)];
    const std::uint8_t* codes = block.qs + 32 * (group >> 2);
    for (int j = 0; j < 32; ++j)
      out[32 * group + j] = scale * as_float(values[(codes[j] >> (2 * (group & 3))) & 3]);
  }
}

void decode_block_iq3_ks(const BlockIq3Ks& block, float row_scale, ByteOrder order, float* out) {
  const std::uint32_t extra = read_u16(block.extra, order);
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales[group & 3] >> (4 * (group >> 2))) & 15;
    const float scale = row_scale * as_float((low | (bit_at(extra, group) << 4)) - 16);
    const std::int8_t* values = kValues3[bit_at(extra, 8 + group)];
    const std::uint8_t* codes = block.qs + 32 * (group >> 2);
    for (int j = 0; j < 32; ++j) {
      const int code = ((codes[j] >> (2 * (group & 3))) & 3) | (bit_at(block.qh[j], group) << 2);
      out[32 * group + j] = scale * as_float(values[code]);
    }
  }
}

void decode_block_iq2_kl(const BlockIq2Kl& block, float row_scale, ByteOrder order, float* out) {
  const std::uint32_t scales_h = read_u16(block.scales_h, order);
  for (int group = 0; group < 8; ++group) {
    const int low = (block.scales_l[group & 3] >> (4 * (group >> 2))) & 15;
    const int high = static_cast<int>((scales_h >> (2 * group)) & 3);
    const float scale = row_scale * as_float((low | (high << 4)) - 32);
    const std::uint8_t* codes = block.qs + 16 * (group >> 1);
    for (int j = 0; j < 16; ++j) {
      const int code = ((codes[j] >> (4 * (group & 1))) & 15) | (bit_at(block.qh[j], group) << 4);
      out[32 * group + 2 * j] =
          scale * as_float(as_signed(static_cast<std::uint8_t>(kPairsIq2Kl[code] & 255)));
      out[32 * group + 2 * j + 1] =
          scale * as_float(as_signed(static_cast<std::uint8_t>(kPairsIq2Kl[code] >> 8)));
    }
  }
}

void decode_block_iq1_kt(const BlockIq1Kt& block, float row_scale, ByteOrder, float* out) {
  for (int group = 0; group < 8; ++group) {
    const float scale = row_scale * as_float(kValues4[0][low_nibble(block.sh[group])]);
    for (int l = 0; l < 4; ++l) {
      const int high = (block.qh[4 * (group & 3) + l] >> (4 * (group >> 2))) & 15;
      const int index = block.ql[4 * group + l] | (high << 8) | (bit_at(block.sh[group], 4 + l) << 12);
      Trellis walk(static_cast<std::uint32_t>(index) + kTrellisStart);
      for (int j = 0; j < 8; ++j) out[32 * group + 8 * l + j] = scale * as_float(walk.next());
    }
  }
}

void decode_block_iq2_kt(const BlockIq2Kt& block, float row_scale, ByteOrder order, float* out) {
  for (int group = 0; group < 8; ++group) {
    const int nibble = (block.scales[group & 3] >> (4 * (group >> 2))) & 15;
    const float scale = row_scale * as_float(kValues4[0][nibble]);
    for (int l = 0; l < 4; ++l) {
      Trellis walk(read_u16(block.ql[4 * group + l], order) + kTrellisStart);
      for (int j = 0; j < 8; ++j) out[32 * group + 8 * l + j] = scale * as_float(walk.next());
    }
  }
}

void decode_block_iq3_kt(const BlockIq3Kt& block, float row_scale, ByteOrder order, float* out) {
  for (int group = 0; group < 8; ++group) {
    const float scale = row_scale * as_float((block.scales[group & 3] >> (4 * (group >> 2))) & 15);
    for (int l = 0; l < 4; ++l) {
      Trellis walk(read_u16(block.ql[4 * group + l], order) + kTrellisStart);
      for (int j = 0; j < 8; ++j) {
        const int value = walk.next();
        const int magnitude = value < 0 ? -value : value;
        const float product = scale * as_float(magnitude);
        out[32 * group + 8 * l + j] =
            with_sign(product, static_cast<std::uint32_t>(bit_at(block.qh[8 * l + j], group)));
      }
    }
  }
}

void decode_block_iq4_kt(const BlockIq4Kt& block, float row_scale, ByteOrder order, float* out) {
  for (int group = 0; group < 8; ++group) {
    const std::uint32_t word = read_u32(block.qs[group], order);
    const float scale = row_scale * as_float(static_cast<int>((word & 255) >> 1) - 64);
    const std::uint32_t start = kTrellisStart + ((word & 1) << 15);
    for (int l = 0; l < 8; ++l) {
      const int high = (block.qh[8 * (group & 3) + l] >> (4 * (group >> 2))) & 15;
      const std::uint32_t top = (word >> (8 + 3 * l)) & 7;
      Trellis walk(static_cast<std::uint32_t>(block.ql[8 * group + l] | (high << 8)) + (top << 12) + start);
      for (int j = 0; j < 4; ++j) out[32 * group + 4 * l + j] = scale * as_float(walk.next());
    }
  }
}

void decode_block_iq1_bn(const BlockIq1Bn& block, float row_scale, ByteOrder, float* out) {
  constexpr int kMultipliers[5] = {81, 27, 9, 3, 1};
  const auto trit = [](int byte, int multiplier) {
    const int fraction = (byte * multiplier) & 255;
    return (fraction + (fraction >> 1)) >> 7;
  };
  for (int sixteen = 0; sixteen < 4; ++sixteen) {
    float* values = out + 16 * sixteen;
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 5; ++j)
        values[5 * k + j] = row_scale * as_float(trit(block.ql[3 * sixteen + k], kMultipliers[j]) - 1);
    values[15] = row_scale * as_float(trit(block.extra, kMultipliers[sixteen]) - 1);
  }
}

void decode_block_iq2_bn(const BlockIq2Bn& block, float row_scale, ByteOrder, float* out) {
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 16; ++j) out[16 * k + j] = row_scale * as_float(((block.qs[j] >> (2 * k)) & 3) - 1);
}

// Before 2024-10-25 the BitNet types had no row scale, and the reference's row decoder never learnt of the
// one added then: it returns these bare trits from whatever address it is given.
void decode_block_iq1_bn_v0(const BlockIq1Bn& block, ByteOrder order, float* out) {
  decode_block_iq1_bn(block, 1.0f, order, out);
}

void decode_block_iq2_bn_v0(const BlockIq2Bn& block, ByteOrder order, float* out) {
  decode_block_iq2_bn(block, 1.0f, order, out);
}

}  // namespace

void decode_iq4_ks(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq4Ks, decode_block_iq4_ks>(row, elements, order, out);
}

void decode_iq4_kss(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq4Kss, decode_block_iq4_kss>(row, elements, order, out);
}

void decode_iq5_ks(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq5Ks, decode_block_iq5_ks>(row, elements, order, out);
}

void decode_iq2_ks(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F16Field, BlockIq2Ks, decode_block_iq2_ks>(row, elements, order, out);
}

void decode_iq3_ks(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F16Field, BlockIq3Ks, decode_block_iq3_ks>(row, elements, order, out);
}

void decode_iq2_kl(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F16Field, BlockIq2Kl, decode_block_iq2_kl>(row, elements, order, out);
}

void decode_iq1_kt(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq1Kt, decode_block_iq1_kt>(row, elements, order, out);
}

void decode_iq2_kt(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq2Kt, decode_block_iq2_kt>(row, elements, order, out);
}

void decode_iq3_kt(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq3Kt, decode_block_iq3_kt>(row, elements, order, out);
}

void decode_iq4_kt(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq4Kt, decode_block_iq4_kt>(row, elements, order, out);
}

void decode_iq1_bn(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F16Field, BlockIq1Bn, decode_block_iq1_bn>(row, elements, order, out);
}

void decode_iq2_bn(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_headed_row<F32Field, BlockIq2Bn, decode_block_iq2_bn>(row, elements, order, out);
}

void decode_iq1_bn_v0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq1Bn, decode_block_iq1_bn_v0>(row, elements, order, out);
}

void decode_iq2_bn_v0(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_row<BlockIq2Bn, decode_block_iq2_bn_v0>(row, elements, order, out);
}

}  // namespace ggufvet
