// Dequantisers: bytes of one tensor type to floats, bit for bit as the reference's `to_float` gives them (NaN
// compared as NaN), on every compiler, byte order and CPU. The caller owns both buffers; nothing allocates,
// nothing is looked at beyond the bytes a row is known to have. Every byte pattern decodes: there is no
// invalid input here, judging scales and codes is a rule's job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ggufvet/base/byte_order.h"

namespace ggufvet {

// Decodes one row. row: the row header when the layout has one, then elements / block_elements blocks.
// elements: a multiple of block_elements (the caller has checked). order: of the file the bytes come from.
// out: `elements` floats.
using DecodeRow = void (*)(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out);

// Decodes a whole tensor of a type whose bytes are not rows of blocks. tensor: elements codes and the
// trailer. out: row_elements * rows floats, row after row.
using DecodeTensor = void (*)(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows,
                              ByteOrder order, float* out);

// Whether DecodeTensor may be called with this shape.
using TensorShapeFits = bool (*)(std::uint64_t row_elements, std::uint64_t rows);

// Quantises one row without an importance matrix. elements: a multiple of block_elements. row: row bytes,
// written in little-endian order, fully initialised.
using QuantizeRow = void (*)(const float* values, std::uint64_t elements, std::byte* row);

}  // namespace ggufvet
