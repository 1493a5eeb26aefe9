// What can be decoded and quantised, asked by layout label (TypeLayout::label). Nothing here is ever called
// through while empty: a type without a decoder has none, and the row says why. Constant data.
#pragma once

#include <span>
#include <string_view>

#include "ggufvet/types/decode.h"

namespace ggufvet {

struct Codec {
  std::string_view label = {};
  std::uint32_t block_elements = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t row_header_bytes = 0;
  DecodeRow decode = nullptr;            // the plain form, which defines the bits
  DecodeTensor decode_tensor = nullptr;  // instead of `decode`, where a tensor is not rows of blocks
  TensorShapeFits shape_fits = nullptr;  // beside decode_tensor
  QuantizeRow quantize = nullptr;        // the reference's quantiser, byte for byte
  bool reference_has_to_float = false;
  bool reference_has_from_float = false;
  // The bytes do not depend on the reference's compiler flags. Where they do, `quantize` follows its x86-64
  // baseline build, which does not fuse multiply and add.
  bool quantizer_stable = false;
  std::string_view quantizer_note = {};
  std::string_view note = {};
};

// Every layout with a decoder or a quantiser, ordered by label.
[[nodiscard]] std::span<const Codec> codecs();
[[nodiscard]] const Codec* find_codec(std::string_view label);

// The fastest decoder this CPU runs, bit for bit equal to `Codec::decode`; null when the layout has none.
[[nodiscard]] DecodeRow find_decoder(std::string_view label);
[[nodiscard]] QuantizeRow find_quantizer(std::string_view label);

}  // namespace ggufvet
