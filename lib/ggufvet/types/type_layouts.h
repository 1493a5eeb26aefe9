// The table of layouts, built while compiling from the rows in type_layouts_*.inc. For the registry's own
// sources; everyone else asks layouts() and find_layout() in type_registry.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "ggufvet/types/type_info.h"

namespace ggufvet::layout_table {

// A row as people write it. Unused places at the end of the field lists have no bytes.
struct LayoutRow {
  std::string_view label{};
  std::uint32_t elements = 0;
  std::uint32_t bytes = 0;
  std::uint32_t row_header_bytes = 0;
  std::uint32_t tensor_trailer_bytes = 0;
  std::uint32_t row_group = 1;
  SizeFormula formula = SizeFormula::none;
  BlockField fields[6] = {};
  BlockField row_header[2] = {};
  BlockField trailer[2] = {};
  float code_max = 0;
  CodeForm body_form{};
};

namespace rows {

using enum Role;
using enum CodeForm;

inline constexpr LayoutRow kRows[] = {
#include "ggufvet/types/type_layouts_mainline.inc"
//
#include "ggufvet/types/type_layouts_ik_llama.inc"
//
#include "ggufvet/types/type_layouts_bitnet.inc"
//
#include "ggufvet/types/type_layouts_forks.inc"
};

}  // namespace rows

using rows::kRows;

inline constexpr std::size_t kLayoutCount = std::size(kRows);

constexpr std::size_t count_used(std::span<const BlockField> fields) {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields, [](const BlockField& field) { return field.bytes != 0; }));
}

// Fields ascend without gap or overlap and fill `bytes`; an empty list says "not documented" and is fine.
constexpr bool fields_fill(std::span<const BlockField> fields, std::uint32_t bytes) {
  std::uint32_t end = 0;
  const std::size_t used = count_used(fields);
  for (const BlockField& field : fields.first(used)) {
    if (field.begin != end || field.bytes == 0 || field.name.empty()) return false;
    end += field.bytes;
  }
  return used == 0 || end == bytes;
}

consteval bool rows_are_sound() {
  for (const LayoutRow& row : kRows) {
    if (!fields_fill(row.fields, row.bytes)) return false;
    if (!fields_fill(row.row_header, row.row_header_bytes)) return false;
    if (!fields_fill(row.trailer, row.tensor_trailer_bytes)) return false;
    if (row.bytes != 0 && row.elements == 0) return false;  // a size needs to know of how many elements
    if (row.formula != SizeFormula::none && row.elements != 0) return false;  // one way to size a tensor
    if (row.tensor_trailer_bytes != 0 && row.formula == SizeFormula::none)
      return false;  // no plain type has one
    if (row.row_group == 0 || row.label.empty()) return false;
  }
  return true;
}
static_assert(rows_are_sound());

consteval bool labels_differ() {
  for (std::size_t later = 1; later < kLayoutCount; ++later)
    for (std::size_t index = 0; index < later; ++index)
      if (kRows[index].label == kRows[later].label) return false;
  return true;
}
static_assert(labels_differ());

inline constexpr std::size_t kFieldCount = [] {
  std::size_t count = 0;
  for (const LayoutRow& row : kRows)
    count += count_used(row.fields) + count_used(row.row_header) + count_used(row.trailer);
  return count;
}();

// All fields of all layouts one after the other, so that a layout holds spans and no row pays for the longest
// list.
inline constexpr std::array<BlockField, kFieldCount> kFields = [] {
  std::array<BlockField, kFieldCount> all{};
  auto out = all.begin();
  const auto append = [&out](std::span<const BlockField> fields) {
    out = std::ranges::copy_if(fields, out, [](const BlockField& field) { return field.bytes != 0; }).out;
  };
  for (const LayoutRow& row : kRows) {
    append(row.fields);
    append(row.row_header);
    append(row.trailer);
  }
  return all;
}();

inline constexpr std::array<TypeLayout, kLayoutCount> kLayouts = [] {
  std::array<TypeLayout, kLayoutCount> all{};
  std::size_t begin = 0;
  const auto take = [&begin](std::span<const BlockField> fields) {
    const auto taken = std::span(kFields).subspan(begin, count_used(fields));
    begin += taken.size();
    return taken;
  };
  for (std::size_t index = 0; index < kLayoutCount; ++index) {
    const LayoutRow& row = kRows[index];
    TypeLayout& layout = all[index];
    layout.label = row.label;
    layout.block_elements = row.elements;
    layout.block_bytes = row.bytes;
    layout.row_header_bytes = row.row_header_bytes;
    layout.tensor_trailer_bytes = row.tensor_trailer_bytes;
    layout.formula = row.formula;
    layout.row_group = row.row_group;
    layout.fields = take(row.fields);
    layout.row_header_fields = take(row.row_header);
    layout.tensor_trailer_fields = take(row.trailer);
    layout.code_max = row.code_max;
    layout.body_form = row.body_form;
  }
  return all;
}();

// The place of a layout in kLayouts; kLayoutCount for a label that no row has.
constexpr std::size_t place_of(std::string_view label) {
  std::size_t place = 0;
  while (place < kLayoutCount && kRows[place].label != label) ++place;
  return place;
}

}  // namespace ggufvet::layout_table
