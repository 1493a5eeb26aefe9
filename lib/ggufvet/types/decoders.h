// The plain decoders, one function per layout, named by the layout's label. Plain means readable and
// portable: they define the bits, and the vector forms in simd_*.cpp are held to them. Ask decode_table.h
// rather than calling these.
#pragma once

#include "ggufvet/types/decode.h"

namespace ggufvet {

#define GGUFVET_DECODER(label) \
  void decode_##label(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out)

// Plain types
GGUFVET_DECODER(f32);
GGUFVET_DECODER(f16);
GGUFVET_DECODER(bf16);
GGUFVET_DECODER(f64);
GGUFVET_DECODER(i8);
GGUFVET_DECODER(i16);
GGUFVET_DECODER(i32);
GGUFVET_DECODER(i64);

// Small blocks
GGUFVET_DECODER(q4_0);
GGUFVET_DECODER(q4_1);
GGUFVET_DECODER(q5_0);
GGUFVET_DECODER(q5_1);
GGUFVET_DECODER(q8_0);
GGUFVET_DECODER(iq4_nl);
GGUFVET_DECODER(mxfp4);
GGUFVET_DECODER(nvfp4);
GGUFVET_DECODER(q1_0);
GGUFVET_DECODER(q2_0);
GGUFVET_DECODER(tq1_0);
GGUFVET_DECODER(tq2_0);

// K-quants
GGUFVET_DECODER(q2_k);
GGUFVET_DECODER(q3_k);
GGUFVET_DECODER(q4_k);
GGUFVET_DECODER(q5_k);
GGUFVET_DECODER(q6_k);
GGUFVET_DECODER(q8_k);

// Codebook types
GGUFVET_DECODER(iq2_xxs);
GGUFVET_DECODER(iq2_xs);
GGUFVET_DECODER(iq2_s);
GGUFVET_DECODER(iq3_xxs);
GGUFVET_DECODER(iq3_s);
GGUFVET_DECODER(iq1_s);
GGUFVET_DECODER(iq1_m);
GGUFVET_DECODER(iq4_xs);

// ik_llama.cpp
GGUFVET_DECODER(q6_0);
GGUFVET_DECODER(iq2_k);
GGUFVET_DECODER(iq3_k);
GGUFVET_DECODER(iq4_k);
GGUFVET_DECODER(iq5_k);
GGUFVET_DECODER(iq6_k);
GGUFVET_DECODER(iq4_ks);
GGUFVET_DECODER(iq5_ks);
GGUFVET_DECODER(iq2_ks);
GGUFVET_DECODER(iq3_ks);
GGUFVET_DECODER(iq4_kss);
GGUFVET_DECODER(iq2_kl);
GGUFVET_DECODER(iq1_kt);
GGUFVET_DECODER(iq2_kt);
GGUFVET_DECODER(iq3_kt);
GGUFVET_DECODER(iq4_kt);
GGUFVET_DECODER(iq1_bn);
GGUFVET_DECODER(iq2_bn);
GGUFVET_DECODER(iq1_bn_v0);
GGUFVET_DECODER(iq2_bn_v0);
GGUFVET_DECODER(q8_k_ik);

// Forks and proposals
GGUFVET_DECODER(q1_0_g32);
GGUFVET_DECODER(q2_0_g128);
GGUFVET_DECODER(ptq1_0);
GGUFVET_DECODER(stq1_0);
GGUFVET_DECODER(f8_e4m3_b128);
GGUFVET_DECODER(e4m3_b32);
GGUFVET_DECODER(rocmfp2_dual);
GGUFVET_DECODER(rocmfp2_affine);
GGUFVET_DECODER(mxfp4_ollama);

#undef GGUFVET_DECODER

}  // namespace ggufvet
