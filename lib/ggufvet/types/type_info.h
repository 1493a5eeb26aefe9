// What a tensor type id means. A type id is only meaningful together with a dialect: (dialect, id) -> TypeInfo, which
// points at a TypeLayout. Two rows that share a layout hold identical bytes under different names or numbers.
// Everything here is constant data; nothing allocates, nothing is looked at before it is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ggufvet {

enum class TypeStatus : std::uint8_t {
  active,    // written by current releases of its dialect
  retired,   // was active once; current releases refuse it or gave the number away
  proposed,  // in a pull request or a branch that was never merged
  draft,     // listed by its dialect, layout not settled
};

// What a field of a block is for. Code asks the row ("which fields are scales?") and never switches on an id.
enum class Role : std::uint8_t {
  element_f16, element_bf16, element_f32, element_f64, element_integer,   // plain types: the block is the value
  scale_f16, scale_f32, scale_e8m0, scale_ue4m3,                         // multiply the codes
  scale_f16_scattered,  // an fp16 whose four nibbles are the high nibbles of four 16-bit words (IQ1_M)
  minimum_f16,          // subtracted or added after scaling
  sum_f16,              // cached sums of activation types
  sum_integer,
  scales_packed,        // small integer scales (and minima) of sub-blocks, packed below a byte
  scales_int8,          // one signed byte per sub-block
  codes,                // quantised values, low bits first where split
  codes_high,           // the bits of the codes that did not fit in `codes`
  signs,                // one bit an element
  grid_index,           // indices into a codebook
  selector,             // bits that choose a table or shift
};

struct BlockField {
  std::string_view name;  // as the field's own projects call it: d, dmin, qs, qh, scales
  Role role{};
  std::uint16_t begin = 0;  // byte offset inside the block
  std::uint16_t bytes = 0;
};

// Types whose tensors are not rows of blocks. `none` is rows of blocks.
enum class SizeFormula : std::uint8_t {
  none,
  quarter_plus_32,   // BitNet I2_S, TL1: elements / 4 + 32 bytes for the whole tensor
  tl2,               // BitNet TL2
  t5b,               // ceil(ne0 / 160) * 32 * rows + 32
};

struct TypeLayout {
  std::string_view label;            // canonical: equal label = identical bytes
  std::uint32_t block_elements = 0;  // 0: not known, nothing can be computed
  std::uint32_t block_bytes = 0;
  std::uint32_t row_header_bytes = 0;      // before the first block of every row (ik_llama's row scales)
  std::uint32_t tensor_trailer_bytes = 0;  // after the last row (BitNet I2_S: one f32 scale and padding)
  SizeFormula formula = SizeFormula::none;
  std::span<const BlockField> fields;  // fill the block when known, empty when the layout is not documented

  [[nodiscard]] constexpr bool known() const { return block_elements != 0 || formula != SizeFormula::none; }
};

// Index into dialects(); 0 is mainline ggml.
enum class DialectId : std::uint8_t { ggml = 0 };

struct Dialect {
  std::string_view slug;    // what a user types: ggml, ik_llama, bitnet, prism
  std::string_view title;   // what it is, in words
  std::string_view source;  // where the facts were read
  std::string_view span;    // versions or time, in words; empty when still current
};

struct TypeInfo {
  DialectId dialect{};
  std::uint32_t id = 0;
  std::string_view name;
  TypeStatus status{};
  const TypeLayout* layout = nullptr;  // never null; layout->known() says whether sizes are known
  bool storable = true;                // false: an activation or cache type that no writer puts in a file
  std::string_view note;
};

}  // namespace ggufvet
