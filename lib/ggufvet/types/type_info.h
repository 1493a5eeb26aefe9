// What a tensor type id means. A type id is only meaningful together with a dialect: (dialect, id) ->
// TypeInfo, which points at a TypeLayout. Two rows that share a layout hold identical bytes under different
// names or numbers. Everything here is constant data; nothing allocates, nothing is looked at before it is
// asked for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ggufvet {

enum class TypeStatus : std::uint8_t {
  active,    // written by current releases of its dialect
  retired,   // was active once; current releases refuse it or gave the number away
  proposed,  // in a pull request or a branch that was never merged
  draft,     // listed by its dialect, layout not settled
};

// Whether a tensor of this type was ever met in a GGUF file. Cache and activation types own numbers too, and
// a number that no file carries is a weaker claim on a file than one that published files carry.
enum class SeenInFile : std::uint8_t {
  unknown,      // the facts do not say
  seen,         // files were published, measured or reported; of old mainline types this is common knowledge
  tools_write,  // the dialect has a general.file_type made of it; no file is on record
  never_written,  // kept out of files: activations, caches, reserved names, gone before GGUF existed
};

// What a field of a block is for. Code asks the row ("which fields are scales?") and never switches on an id.
enum class Role : std::uint8_t {
  // Plain types: the block is the value.
  element_f16,
  element_bf16,
  element_f32,
  element_f64,
  element_integer,
  // Scales multiply the codes.
  scale_f16,
  scale_f32,
  scale_e8m0,
  scale_ue4m3,
  scale_f16_scattered,  // an fp16 whose four nibbles are the high nibbles of four 16-bit words (IQ1_M)
  minimum_f16,          // subtracted or added after scaling
  sum_f16,              // cached sums of activation types
  sum_integer,
  scales_packed,  // small integer scales (and minima) of sub-blocks, packed below a byte
  scales_int8,    // one signed byte per sub-block
  codes,          // quantised values, low bits first where split
  codes_high,     // the bits of the codes that did not fit in `codes`
  signs,          // one bit an element
  grid_index,     // indices into a codebook
  selector,       // bits that choose a table or shift
  sum_f32,        // cached sums of activation types, and the room for one in a row header
  minimum_ue4m3,  // added or subtracted after scaling
  padding,
};

// Byte values of a field of codes that no encoder writes. They decode all the same, to something nobody
// meant.
enum class CodeForm : std::uint8_t {
  any,      // every byte value is written
  ternary,  // four 2-bit codes a byte, of which 3 is never written
  trits_5,  // five trits a byte as ceil(256 * t / 243): 243 values
  trits_4,  // four trits a byte in the same form, the fifth left 0: 81 values
  e4m3fn,   // one OCP E4M3 float a byte: S.1111.111 is NaN
};

struct BlockField {
  std::string_view name{};  // as the field's own projects call it: d, dmin, qs, qh, scales
  Role role{};
  std::uint16_t begin = 0;  // byte offset inside the block
  std::uint16_t bytes = 0;
  CodeForm form{};
};

// Types whose tensors are not rows of blocks. `none` is rows of blocks.
enum class SizeFormula : std::uint8_t {
  none,
  quarter_plus_32,  // BitNet I2_S, TL1: elements / 4 + 32 bytes for the whole tensor
  tl2,              // BitNet TL2
  t5b,              // ceil(ne0 / 160) * 32 * rows + 32
};

struct TypeLayout {
  std::string_view label{};          // canonical: equal label = identical bytes
  std::uint32_t block_elements = 0;  // 0: not known. Known alone it still says what rows must divide by
  std::uint32_t block_bytes = 0;     // 0: not known, no size can be computed
  // Before the first block of every row (ik_llama's row scales); of interleaved rows, all headers of a group
  // stand together in front of it.
  std::uint32_t row_header_bytes = 0;
  // After the last row (BitNet I2_S: one f32 scale and padding). The formulas count it already.
  std::uint32_t tensor_trailer_bytes = 0;
  SizeFormula formula = SizeFormula::none;
  std::span<const BlockField> fields{};  // fill the block when known, empty when the layout is not documented
  std::uint32_t row_group = 1;  // rows stored as one interleaved unit: shape[1] must be a multiple of it
  std::span<const BlockField> row_header_fields{};      // fill the row header when known
  std::span<const BlockField> tensor_trailer_fields{};  // fill the trailer when known
  // The largest magnitude that a scale is multiplied with: by codes and sub-block scales together. E8M0 and
  // UE4M3 count as their OCP values. 0: not known, or no scale.
  float code_max = 0;
  CodeForm body_form{};  // of what stands before the trailer, in a tensor that a formula sizes

  // Whether the size of a tensor follows from its shape.
  [[nodiscard]] constexpr bool known() const {
    return (block_elements != 0 && block_bytes != 0) || formula != SizeFormula::none;
  }
};

// Index into dialects(); 0 is mainline ggml. A bare name is the dialect as it is today, or as published files
// use it. A new one is added at the end, or behind its relatives, together with its row in dialect_rows.inc.
enum class DialectId : std::uint8_t {
  ggml = 0,
  ggml_2023,
  ggml_count20,
  ggml_count21,
  ggml_count22,
  ggml_count23,
  ggml_count24,
  ggml_e4m3,
  ik_llama,
  ik_llama_2024_06,
  ik_llama_2024_08,
  ik_llama_2024_10,
  ik_llama_2024_12,
  ik_llama_trellis_draft,
  ik_llama_pr1682,
  ik_llama_pr1573,
  bitnet,
  bitnet_arm,
  bitnet_1x4,
  bitnet_2026,
  bitnet_t5b,
  bitnet_dev_2024,
  bitnet_cipherxzc,
  vlut,
  t_mac,
  prism_v1,
  prism_legacy,
  prism_v7,
  prism,
  stq,
  stq_rebased,
  wrapper_243,
  nisparks_f8,
  turboquant_thetom,
  turboquant_thetom_april,
  turboquant_thetom_pr107,
  buun,
  buun_april,
  beellama,
  amesianx,
  amesianx_v1_4,
  atomic,
  atomic_pr31,
  llama_turboquant,
  turbo_tan,
  eliza,
  rocmfpx,
  rocmfpx_affine,
  unsloth_iq1,
  unsloth_iq1_r1,
  hifi,
  nf4dq,
  eoq,
  croco,
  ollama_2025_08,
  ollama,
  gguf_py,
  candle,
  stable_diffusion,
  gguf_tools,
  gguf_parser_go,
  powerinfer,
  whisper,
  koboldcpp,
  llamafile,
  qvac,
  imp,
};

enum class DialectStatus : std::uint8_t {
  current,     // what its programs write today, as far as their sources were read
  historical,  // was written once; files may still be around
  proposal,    // a pull request, a branch or a patch set that was not merged
};

struct IdRange {  // both ends included; the default is empty
  std::uint32_t first = 1;
  std::uint32_t last = 0;

  [[nodiscard]] constexpr bool empty() const { return first > last; }
  [[nodiscard]] constexpr bool contains(std::uint32_t id) const { return first <= id && id <= last; }
};

struct Dialect {
  std::string_view slug{};    // what a user types: ggml, ik_llama, bitnet, prism
  std::string_view title{};   // what it is, in words
  std::string_view source{};  // where the facts were read
  std::string_view span{};    // versions or time, in words; empty when still current
  std::string_view alias{};   // a longer name that find_dialect knows as well
  DialectId id{};
  DialectStatus status{};
  // The dialect also knows its parent's ids inside these ranges; a row of its own with the same id wins.
  DialectId parent{};
  std::array<IdRange, 3> inherited{};

  [[nodiscard]] constexpr bool inherits(std::uint32_t type_id) const {
    for (const IdRange& range : inherited)
      if (range.contains(type_id)) return true;
    return false;
  }
};

struct TypeInfo {
  DialectId dialect{};
  std::uint32_t id = 0;
  std::string_view name{};
  TypeStatus status{};
  const TypeLayout* layout = nullptr;  // never null; layout->known() says whether sizes are known
  bool storable = true;                // false: an activation or cache type that no writer puts in a file
  std::string_view note{};
  SeenInFile seen_in_file = SeenInFile::unknown;
};

}  // namespace ggufvet
