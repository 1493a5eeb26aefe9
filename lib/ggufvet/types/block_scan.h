// Scanning the blocks of a layout for faults, driven by the roles of its fields. Two steps: suspects() is
// fast (vector code where the CPU has it, whole cache lines skipped where blocks are large) and may cry wolf
// but never misses; examine() looks at every field and tells each fault with its place. Nothing allocates
// after construction; bytes are never written, and any byte pattern is fine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/types/payload_fault.h"
#include "ggufvet/types/type_info.h"

namespace ggufvet {

struct FaultSpot {
  PayloadFault fault{};
  std::uint32_t bytes = 0;    // of the field's value
  std::uint64_t at = 0;       // byte offset from the start of what was examined
  std::uint64_t block = 0;    // index in what was examined
  std::uint64_t element = 0;  // the first element that the value concerns, likewise
};

class FaultVisitor {
 public:
  virtual ~FaultVisitor() = default;
  virtual void visit(const FaultSpot& spot) = 0;
};

// Blocks as a repeating pattern of bytes: a byte is suspect when (byte & mask) > limit, or when it is a code
// that its form does not know. Pattern and vectors coincide after `period` bytes.
struct DensePattern {
  std::size_t period = 0;  // a multiple of the block and of 32
  std::vector<std::uint8_t> mask, limit, ternary, trits_5,
      trits_4;  // `period` bytes each, code masks 0 or 255
  bool has_ternary = false;
  bool has_trits = false;
};

// Values as they lie in 64-bit words: suspect when ((word & mask) + add) & test is not zero.
struct ProbeWord {
  std::uint32_t offset = 0;
  std::uint64_t mask = 0;
  std::uint64_t add = 0;
  std::uint64_t test = 0;
};

// Of blocks that are single values: suspect when the largest (lane & mask) reaches `limit`.
struct ElementLanes {
  std::uint32_t lane_bytes =
      0;                   // 2 or 4; a binary64 is two lanes, of which one is masked away; 0: not that form
  std::uint64_t mask = 0;  // of eight bytes
  std::uint32_t limit = 0;
};

// What to look at.
struct ScanShape {
  std::span<const BlockField> fields;
  std::uint32_t block_bytes = 0;
  std::uint32_t block_elements = 0;
  float code_max = 0;
};
[[nodiscard]] ScanShape block_shape(const TypeLayout& layout);
[[nodiscard]] ScanShape row_header_shape(const TypeLayout& layout);
[[nodiscard]] ScanShape trailer_shape(const TypeLayout& layout);
// Of a tensor that a formula sizes: each byte before the trailer is taken as a block.
[[nodiscard]] ScanShape body_shape(const TypeLayout& layout);

class BlockScan {
 public:
  // with_extremes: whether values too large for half precision count, or only what is wrong for certain.
  BlockScan(const ScanShape& shape, ByteOrder order, bool with_extremes);

  // False when no field can be judged; then there is never a suspect.
  [[nodiscard]] bool judges() const { return judges_; }
  [[nodiscard]] const ScanShape& shape() const { return shape_; }

  // blocks: whole blocks.
  [[nodiscard]] bool suspects(std::span<const std::byte> blocks) const;
  // The same from plain code, on any machine; what the vector form is checked against.
  [[nodiscard]] bool suspects_portable(std::span<const std::byte> blocks) const;
  // Every fault in order of its place.
  void examine(std::span<const std::byte> blocks, FaultVisitor& visitor) const;

 private:
  void add_field(const BlockField& field);
  void add_value(Role role, std::uint32_t begin, std::uint32_t bytes);
  void add_codes(const BlockField& field);
  void set_dense(std::uint32_t byte, std::uint8_t mask, std::uint8_t limit);
  void add_word(std::uint32_t begin, std::uint32_t bytes, std::uint64_t mask, std::uint64_t limit);
  void prepare_lanes();
  void prepare_dense();

  ScanShape shape_;
  ByteOrder order_;
  bool with_extremes_;
  bool judges_ = false;
  bool words_cover_ = true;       // the probe words see everything there is to judge
  std::uint32_t unit_bytes_ = 0;  // of the probe words: a block, or eight bytes of single values
  std::vector<ProbeWord> words_;
  ElementLanes lanes_;
  DensePattern dense_;
};

}  // namespace ggufvet
