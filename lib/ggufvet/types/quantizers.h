// The reference quantisers, byte for byte, named by layout label. No importance matrix. Ask decode_table.h
// rather than calling these.
#pragma once

#include "ggufvet/types/decode.h"

namespace ggufvet {

#define GGUFVET_QUANTIZER(label) \
  void quantize_##label(const float* values, std::uint64_t elements, std::byte* row)

GGUFVET_QUANTIZER(iq3_xxs);
GGUFVET_QUANTIZER(iq3_s);
GGUFVET_QUANTIZER(iq2_s);
GGUFVET_QUANTIZER(iq4_nl);
GGUFVET_QUANTIZER(iq4_xs);
GGUFVET_QUANTIZER(q2_k);
GGUFVET_QUANTIZER(q3_k);
GGUFVET_QUANTIZER(q4_k);
GGUFVET_QUANTIZER(q5_k);
GGUFVET_QUANTIZER(q6_k);
GGUFVET_QUANTIZER(f16);
GGUFVET_QUANTIZER(bf16);
GGUFVET_QUANTIZER(q4_0);
GGUFVET_QUANTIZER(q4_1);
GGUFVET_QUANTIZER(q5_0);
GGUFVET_QUANTIZER(q5_1);
GGUFVET_QUANTIZER(q8_0);
GGUFVET_QUANTIZER(q8_1);
GGUFVET_QUANTIZER(q8_k);
GGUFVET_QUANTIZER(tq1_0);
GGUFVET_QUANTIZER(tq2_0);
GGUFVET_QUANTIZER(q1_0);
GGUFVET_QUANTIZER(q2_0);
GGUFVET_QUANTIZER(mxfp4);
GGUFVET_QUANTIZER(nvfp4);

#undef GGUFVET_QUANTIZER

}  // namespace ggufvet
