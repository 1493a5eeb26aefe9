#include "ggufvet/types/type_layouts.h"

#include <bit>
#include <numeric>

#include "ggufvet/base/checked.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

using Shape = std::array<std::uint64_t, 4>;
using Bytes = std::optional<std::uint64_t>;

bool any_zero(const Shape& shape) { return shape[0] == 0 || shape[1] == 0 || shape[2] == 0 || shape[3] == 0; }

// The arithmetic of rows of blocks is asked for every tensor of a file, so it works on plain integers with a
// flag; optionals handed from function to function cost several times as much as the multiplications.
struct RowSize {
  bool whole = false;  // a whole number of blocks
  bool over = false;   // too large for 64 bits
  std::uint64_t bytes = 0;
};

inline RowSize size_row(const TypeLayout& layout, std::uint64_t row_elements) {
  RowSize row;
  std::uint64_t blocks = 0;
  // Nearly every block holds a power of two of elements, and a shift is many times cheaper than a division.
  if (is_power_of_two(layout.block_elements)) {
    row.whole = (row_elements & (layout.block_elements - 1)) == 0;
    blocks = row_elements >> std::countr_zero(layout.block_elements);
  } else {
    row.whole = row_elements % layout.block_elements == 0;
    blocks = row_elements / layout.block_elements;
  }
  row.over = __builtin_mul_overflow(blocks, layout.block_bytes, &row.bytes);
  row.over |= __builtin_add_overflow(row.bytes, blocks != 0 ? layout.row_header_bytes : 0, &row.bytes);
  return row;
}

Bytes times(Bytes value, std::uint64_t factor) { return value ? checked_mul(*value, factor) : std::nullopt; }
Bytes plus(Bytes value, std::uint64_t more) { return value ? checked_add(*value, more) : std::nullopt; }

// Elements / 4 + 32. Each factor of four is taken out of the dimensions before they are multiplied: the size
// may fit where the number of elements does not. Elements that leave a byte half filled have no size.
Bytes quarter_plus_32_bytes(Shape shape) {
  if (any_zero(shape)) return 32;
  std::uint64_t divisor = 4;
  Bytes quarter = 1;
  for (const std::uint64_t dimension : shape) {
    const std::uint64_t common = std::gcd(dimension, divisor);
    divisor /= common;
    quarter = times(quarter, dimension / common);
  }
  if (divisor != 1 || !quarter) return std::nullopt;
  return checked_add(*quarter, 32);
}

// Three weights in five bits for all but 256 columns, two weights in four bits for those; the divisions drop
// their remainders one after the other as BitNet's own arithmetic does. Only matrices of 256 columns or more
// have a size.
Bytes tl2_bytes(const Shape& shape) {
  constexpr std::uint64_t kTailColumns = 256;
  if (shape[0] < kTailColumns || shape[2] != 1 || shape[3] != 1) return std::nullopt;
  // elements / 3 * 5 / 8 is 5 for each whole 24 of them, and something for what is left. Elements may not fit
  // 64 bits where their size does, so both dimensions are taken apart instead of multiplied.
  const std::uint64_t columns = shape[0] - kTailColumns;
  const std::uint64_t rows = shape[1];
  const std::uint64_t corner = columns % 24 * (rows % 24);
  const Bytes whole = plus(plus(times(columns / 24, rows), columns % 24 * (rows / 24)), corner / 24);
  const Bytes body = plus(times(whole, 5), corner % 24 / 3 * 5 / 8);
  const Bytes tail = times(rows, kTailColumns / 4);
  const Bytes sum = tail ? plus(body, *tail) : std::nullopt;
  const Bytes padded = sum ? pad_to_multiple(*sum, 32) : std::nullopt;
  return plus(padded, 32);
}

constexpr std::uint64_t t5b_row_bytes(std::uint64_t row_elements) {
  return ceil_div(row_elements, 160) *
         32;  // five weights a byte, 160 in each 32 bytes: never more than row_elements
}

Bytes t5b_bytes(const Shape& shape) {
  if (any_zero(shape)) return 32;
  const Bytes rows = times(times(t5b_row_bytes(shape[0]), shape[1]), shape[2]);
  const Bytes payload = times(rows, shape[3]);
  return payload ? checked_add(*payload, 32) : std::nullopt;
}

Bytes formula_bytes(SizeFormula formula, const Shape& shape) {
  switch (formula) {
    case SizeFormula::quarter_plus_32:
      return quarter_plus_32_bytes(shape);
    case SizeFormula::tl2:
      return tl2_bytes(shape);
    case SizeFormula::t5b:
      return t5b_bytes(shape);
    case SizeFormula::none:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::span<const TypeLayout> layouts() { return layout_table::kLayouts; }

const TypeLayout* find_layout(std::string_view label) {
  for (const TypeLayout& layout : layout_table::kLayouts)
    if (layout.label == label) return &layout;
  return nullptr;
}

std::optional<std::uint64_t> row_bytes(const TypeLayout& layout, std::uint64_t row_elements) {
  if (layout.formula == SizeFormula::t5b) return t5b_row_bytes(row_elements);
  if (layout.formula != SizeFormula::none || !layout.known()) return std::nullopt;
  const RowSize row = size_row(layout, row_elements);
  return row.whole && !row.over ? std::optional(row.bytes) : std::nullopt;
}

std::optional<std::uint64_t> tensor_bytes(const TypeLayout& layout,
                                          const std::array<std::uint64_t, 4>& shape) {
  if (layout.formula != SizeFormula::none) return formula_bytes(layout.formula, shape);
  if (!layout.known()) return std::nullopt;
  const RowSize row = size_row(layout, shape[0]);
  std::uint64_t bytes = row.bytes;
  bool over = row.over;
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    over |= __builtin_mul_overflow(bytes, shape[axis], &bytes);
  if (any_zero(shape)) {  // no elements, no bytes, however large the other dimensions are
    bytes = 0;
    over = false;
  }
  return row.whole && !over ? std::optional(bytes) : std::nullopt;
}

bool sizes_agree(const TypeLayout& a, const TypeLayout& b) {
  if (!a.known() || !b.known() || a.formula != b.formula) return false;
  if (a.formula != SizeFormula::none) return true;
  return a.row_header_bytes == b.row_header_bytes &&
         std::uint64_t{a.block_bytes} * b.block_elements == std::uint64_t{b.block_bytes} * a.block_elements;
}

}  // namespace ggufvet
