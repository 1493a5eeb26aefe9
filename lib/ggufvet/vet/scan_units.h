// A model's tensor data cut into units of work: whole blocks, about a megabyte each, in order of their places
// in the file. Internal to the vet layer.
#pragma once

#include <cstdint>
#include <vector>

#include "ggufvet/rules/model_facts.h"

namespace ggufvet {

// Large enough that taking a unit costs nothing beside scanning it, small enough that a few of them fit in
// memory.
inline constexpr std::uint64_t kUnitBytes = 1 << 20;
inline constexpr std::uint64_t kUnitBytesMin = 64 << 10;

// How the bytes of a tensor follow from its layout and shape.
struct TensorGeometry {
  const TypeLayout* layout = nullptr;
  std::uint32_t tensor = 0;
  ByteRange where;                 // in the file, cut off at its end
  std::uint64_t bytes = 0;         // of the whole tensor
  std::uint64_t body_bytes = 0;    // without the trailer
  std::uint64_t row_bytes = 0;     // of a group of interleaved rows, with its headers; 0 for formulas
  std::uint64_t header_bytes = 0;  // in front of such a group
  std::uint64_t row_elements = 0;  // of the group
  std::uint64_t rows = 0;          // of the tensor, not groups
  std::uint64_t block_bytes = 0;   // 1 where the layout has no blocks

  [[nodiscard]] bool whole() const { return where.size() == bytes; }
  // The end of a unit of about `unit_bytes` that begins at `begin` (relative to the tensor) and splits no
  // block and no header.
  [[nodiscard]] std::uint64_t unit_end(std::uint64_t begin, std::uint64_t unit_bytes) const;
};

// Of a tensor whose size and place are known.
[[nodiscard]] TensorGeometry geometry_of(const ModelFacts& facts, std::uint32_t index);

struct ScanUnit {
  const TensorGeometry* tensor = nullptr;
  std::uint64_t begin = 0;  // relative to the tensor
  std::uint64_t end = 0;
};

// The tensors that can be read: place known, not overlapping an earlier one, inside the file at least in
// part.
[[nodiscard]] std::vector<TensorGeometry> readable_tensors(const ModelFacts& facts);

class UnitCursor {
 public:
  UnitCursor(const std::vector<TensorGeometry>& tensors, std::uint64_t unit_bytes)
      : tensors_(tensors), unit_bytes_(unit_bytes) {}
  // False when there are no more.
  [[nodiscard]] bool next(ScanUnit& unit);

 private:
  const std::vector<TensorGeometry>& tensors_;
  std::uint64_t unit_bytes_;
  std::size_t tensor_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace ggufvet
