#include "ggufvet/types/simd_dispatch.h"

namespace ggufvet {

std::span<const VectorDecoder> vector_decoders() { return {}; }

DecodeRow find_vector_decoder(std::string_view label) {
  for (const VectorDecoder& decoder : vector_decoders())
    if (decoder.label == label) return decoder.decode;
  return nullptr;
}

}  // namespace ggufvet
