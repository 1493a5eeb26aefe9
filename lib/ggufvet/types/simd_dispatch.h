// Vector forms of the decoders, chosen at run time: the library is built for the oldest CPU of its
// architecture and asks the one it finds itself on. Each form gives the bits of the plain decoder; where
// there is none the answer is null.
#pragma once

#include <span>
#include <string_view>

#include "ggufvet/types/decode.h"

namespace ggufvet {

struct VectorDecoder {
  std::string_view label = {};
  DecodeRow decode = nullptr;
};

// Whether this CPU runs any of them.
[[nodiscard]] bool has_vector_decoders();
[[nodiscard]] DecodeRow find_vector_decoder(std::string_view label);

}  // namespace ggufvet
