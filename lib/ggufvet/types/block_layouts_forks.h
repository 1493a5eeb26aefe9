// Blocks of tensor types that mainline does not know: ik_llama.cpp, PrismML, BitNet's relatives and
// proposals. Same rules as block_layouts.h. Row headers (a scale before the first block of every row) are not
// part of a block. Sources: facts about ik_llama.cpp 8337e4cd and, below the ik types, the projects named in
// decoders_forks.cpp.
#pragma once

#include "ggufvet/types/block_layouts.h"

namespace ggufvet {

struct BlockQ6_0 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qh[8];
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockQ6_0, 26);
GGUFVET_FIELD(BlockQ6_0, d, 0, 2);
GGUFVET_FIELD(BlockQ6_0, qh, 2, 8);
GGUFVET_FIELD(BlockQ6_0, qs, 10, 16);

struct BlockIq2K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field extra;
  std::uint8_t scales[8];
  std::uint8_t qs[64];
};
GGUFVET_BLOCK(BlockIq2K, 76);
GGUFVET_FIELD(BlockIq2K, d, 0, 2);
GGUFVET_FIELD(BlockIq2K, extra, 2, 2);
GGUFVET_FIELD(BlockIq2K, scales, 4, 8);
GGUFVET_FIELD(BlockIq2K, qs, 12, 64);

struct BlockIq3K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field extra;
  U16Field scales_h;
  std::uint8_t scales_l[8];
  std::uint8_t qs[64];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq3K, 110);
GGUFVET_FIELD(BlockIq3K, d, 0, 2);
GGUFVET_FIELD(BlockIq3K, extra, 2, 2);
GGUFVET_FIELD(BlockIq3K, scales_h, 4, 2);
GGUFVET_FIELD(BlockIq3K, scales_l, 6, 8);
GGUFVET_FIELD(BlockIq3K, qs, 14, 64);
GGUFVET_FIELD(BlockIq3K, qh, 78, 32);

struct BlockIq4K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field extra;
  std::uint8_t scales_h[4];
  std::uint8_t scales_l[8];
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockIq4K, 144);
GGUFVET_FIELD(BlockIq4K, d, 0, 2);
GGUFVET_FIELD(BlockIq4K, extra, 2, 2);
GGUFVET_FIELD(BlockIq4K, scales_h, 4, 4);
GGUFVET_FIELD(BlockIq4K, scales_l, 8, 8);
GGUFVET_FIELD(BlockIq4K, qs, 16, 128);

struct BlockIq5K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field extra;
  std::uint8_t scales_h[4];
  std::uint8_t scales_l[8];
  std::uint8_t qs[128];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq5K, 176);
GGUFVET_FIELD(BlockIq5K, d, 0, 2);
GGUFVET_FIELD(BlockIq5K, extra, 2, 2);
GGUFVET_FIELD(BlockIq5K, scales_h, 4, 4);
GGUFVET_FIELD(BlockIq5K, scales_l, 8, 8);
GGUFVET_FIELD(BlockIq5K, qs, 16, 128);
GGUFVET_FIELD(BlockIq5K, qh, 144, 32);

struct BlockIq6K {
  static constexpr std::uint32_t elements = 256;
  F16Field d;
  U16Field extra;
  std::uint8_t scales[16];
  std::uint8_t qs[128];
  std::uint8_t qh[64];
};
GGUFVET_BLOCK(BlockIq6K, 212);
GGUFVET_FIELD(BlockIq6K, d, 0, 2);
GGUFVET_FIELD(BlockIq6K, extra, 2, 2);
GGUFVET_FIELD(BlockIq6K, scales, 4, 16);
GGUFVET_FIELD(BlockIq6K, qs, 20, 128);
GGUFVET_FIELD(BlockIq6K, qh, 148, 64);

struct BlockIq4Ks {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t scales[8];
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockIq4Ks, 136);
GGUFVET_FIELD(BlockIq4Ks, scales, 0, 8);
GGUFVET_FIELD(BlockIq4Ks, qs, 8, 128);

struct BlockIq5Ks {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t scales[8];
  std::uint8_t qs[128];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq5Ks, 168);
GGUFVET_FIELD(BlockIq5Ks, scales, 0, 8);
GGUFVET_FIELD(BlockIq5Ks, qs, 8, 128);
GGUFVET_FIELD(BlockIq5Ks, qh, 136, 32);

struct BlockIq2Ks {
  static constexpr std::uint32_t elements = 256;
  U16Field extra;
  std::uint8_t scales[4];
  std::uint8_t qs[64];
};
GGUFVET_BLOCK(BlockIq2Ks, 70);
GGUFVET_FIELD(BlockIq2Ks, extra, 0, 2);
GGUFVET_FIELD(BlockIq2Ks, scales, 2, 4);
GGUFVET_FIELD(BlockIq2Ks, qs, 6, 64);

struct BlockIq3Ks {
  static constexpr std::uint32_t elements = 256;
  U16Field extra;
  std::uint8_t scales[4];
  std::uint8_t qs[64];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq3Ks, 102);
GGUFVET_FIELD(BlockIq3Ks, extra, 0, 2);
GGUFVET_FIELD(BlockIq3Ks, scales, 2, 4);
GGUFVET_FIELD(BlockIq3Ks, qs, 6, 64);
GGUFVET_FIELD(BlockIq3Ks, qh, 70, 32);

struct BlockIq4Kss {
  static constexpr std::uint32_t elements = 256;
  U16Field qs[64];
};
GGUFVET_BLOCK(BlockIq4Kss, 128);
GGUFVET_FIELD(BlockIq4Kss, qs, 0, 128);

struct BlockIq2Kl {
  static constexpr std::uint32_t elements = 256;
  U16Field scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[64];
  std::uint8_t qh[16];
};
GGUFVET_BLOCK(BlockIq2Kl, 86);
GGUFVET_FIELD(BlockIq2Kl, scales_h, 0, 2);
GGUFVET_FIELD(BlockIq2Kl, scales_l, 2, 4);
GGUFVET_FIELD(BlockIq2Kl, qs, 6, 64);
GGUFVET_FIELD(BlockIq2Kl, qh, 70, 16);

struct BlockIq1Kt {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t sh[8];
  std::uint8_t ql[32];
  std::uint8_t qh[16];
};
GGUFVET_BLOCK(BlockIq1Kt, 56);
GGUFVET_FIELD(BlockIq1Kt, sh, 0, 8);
GGUFVET_FIELD(BlockIq1Kt, ql, 8, 32);
GGUFVET_FIELD(BlockIq1Kt, qh, 40, 16);

struct BlockIq2Kt {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t scales[4];
  U16Field ql[32];
};
GGUFVET_BLOCK(BlockIq2Kt, 68);
GGUFVET_FIELD(BlockIq2Kt, scales, 0, 4);
GGUFVET_FIELD(BlockIq2Kt, ql, 4, 64);

struct BlockIq3Kt {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t scales[4];
  U16Field ql[32];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq3Kt, 100);
GGUFVET_FIELD(BlockIq3Kt, scales, 0, 4);
GGUFVET_FIELD(BlockIq3Kt, ql, 4, 64);
GGUFVET_FIELD(BlockIq3Kt, qh, 68, 32);

struct BlockIq4Kt {
  static constexpr std::uint32_t elements = 256;
  U32Field qs[8];
  std::uint8_t ql[64];
  std::uint8_t qh[32];
};
GGUFVET_BLOCK(BlockIq4Kt, 128);
GGUFVET_FIELD(BlockIq4Kt, qs, 0, 32);
GGUFVET_FIELD(BlockIq4Kt, ql, 32, 64);
GGUFVET_FIELD(BlockIq4Kt, qh, 96, 32);

struct BlockIq1Bn {
  static constexpr std::uint32_t elements = 64;
  std::uint8_t ql[12];
  std::uint8_t extra;
};
GGUFVET_BLOCK(BlockIq1Bn, 13);
GGUFVET_FIELD(BlockIq1Bn, ql, 0, 12);
GGUFVET_FIELD(BlockIq1Bn, extra, 12, 1);

struct BlockIq2Bn {
  static constexpr std::uint32_t elements = 64;
  std::uint8_t qs[16];
};
GGUFVET_BLOCK(BlockIq2Bn, 16);
GGUFVET_FIELD(BlockIq2Bn, qs, 0, 16);

struct BlockQ8KIk {
  static constexpr std::uint32_t elements = 256;
  F32Field d;
  F32Field sum;
  std::uint8_t qs[256];
  U16Field bsums[16];
};
GGUFVET_BLOCK(BlockQ8KIk, 296);
GGUFVET_FIELD(BlockQ8KIk, d, 0, 4);
GGUFVET_FIELD(BlockQ8KIk, sum, 4, 4);
GGUFVET_FIELD(BlockQ8KIk, qs, 8, 256);
GGUFVET_FIELD(BlockQ8KIk, bsums, 264, 32);

struct BlockQ1_0G32 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qs[4];
};
GGUFVET_BLOCK(BlockQ1_0G32, 6);
GGUFVET_FIELD(BlockQ1_0G32, d, 0, 2);
GGUFVET_FIELD(BlockQ1_0G32, qs, 2, 4);

struct BlockQ2_0G128 {
  static constexpr std::uint32_t elements = 128;
  F16Field d;
  std::uint8_t qs[32];
};
GGUFVET_BLOCK(BlockQ2_0G128, 34);
GGUFVET_FIELD(BlockQ2_0G128, d, 0, 2);
GGUFVET_FIELD(BlockQ2_0G128, qs, 2, 32);

struct BlockPtq1_0 {
  static constexpr std::uint32_t elements = 128;
  std::uint8_t qs[24];
  std::uint8_t qh[2];
  F16Field d;
};
GGUFVET_BLOCK(BlockPtq1_0, 28);
GGUFVET_FIELD(BlockPtq1_0, qs, 0, 24);
GGUFVET_FIELD(BlockPtq1_0, qh, 24, 2);
GGUFVET_FIELD(BlockPtq1_0, d, 26, 2);

struct BlockStq1_0 {
  static constexpr std::uint32_t elements = 256;
  std::uint8_t qs[32];
  std::uint8_t sign[8];
  F16Field d;
};
GGUFVET_BLOCK(BlockStq1_0, 42);
GGUFVET_FIELD(BlockStq1_0, qs, 0, 32);
GGUFVET_FIELD(BlockStq1_0, sign, 32, 8);
GGUFVET_FIELD(BlockStq1_0, d, 40, 2);

struct BlockF8E4M3B128 {
  static constexpr std::uint32_t elements = 128;
  std::uint8_t e;
  std::uint8_t qs[128];
};
GGUFVET_BLOCK(BlockF8E4M3B128, 129);
GGUFVET_FIELD(BlockF8E4M3B128, e, 0, 1);
GGUFVET_FIELD(BlockF8E4M3B128, qs, 1, 128);

struct BlockE4M3B32 {
  static constexpr std::uint32_t elements = 32;
  F16Field d;
  std::uint8_t qs[32];
};
GGUFVET_BLOCK(BlockE4M3B32, 34);
GGUFVET_FIELD(BlockE4M3B32, d, 0, 2);
GGUFVET_FIELD(BlockE4M3B32, qs, 2, 32);

struct BlockRocmFp2 {
  static constexpr std::uint32_t elements = 32;
  std::uint8_t qs[8];
  std::uint8_t e[2];
};
GGUFVET_BLOCK(BlockRocmFp2, 10);
GGUFVET_FIELD(BlockRocmFp2, qs, 0, 8);
GGUFVET_FIELD(BlockRocmFp2, e, 8, 2);

#undef GGUFVET_FIELD
#undef GGUFVET_BLOCK

}  // namespace ggufvet
