// Looking up tensor types. Lookup takes (dialect, id) or (dialect, name): an id alone means nothing. All
// tables are constant data, built while compiling; no call allocates, and everything returned lives as long
// as the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ggufvet/types/type_info.h"

namespace ggufvet {

[[nodiscard]] std::span<const Dialect> dialects();
// `id` must be one of dialects().
[[nodiscard]] const Dialect& dialect(DialectId id);
// By slug or by alias, ASCII case ignored.
[[nodiscard]] std::optional<DialectId> find_dialect(std::string_view slug);

// The rows a dialect knows, ids ascending, inherited rows included. Null when the dialect has no such id.
// An inherited row names the dialect it was written for. Constant time for ggml, a binary search for the
// others.
[[nodiscard]] const TypeInfo* find_type(DialectId dialect, std::uint32_t id);
[[nodiscard]] const TypeInfo* find_type(DialectId dialect, std::string_view name);  // ASCII case ignored

// Every row of every dialect, grouped by dialect in the order of dialects(), ids ascending within one.
[[nodiscard]] std::span<const TypeInfo> all_types();
// The rows a dialect does not inherit, ids ascending.
[[nodiscard]] std::span<const TypeInfo> own_types(DialectId dialect);
// How many rows a dialect knows, and the one at `index` below that count, ids ascending, inherited rows
// included.
[[nodiscard]] std::size_t known_type_count(DialectId dialect);
[[nodiscard]] const TypeInfo& known_type(DialectId dialect, std::size_t index);

// Every row of every dialect that claims this id itself (not by inheritance), mainline first.
[[nodiscard]] std::span<const TypeInfo* const> claims_of(std::uint32_t id);
// The ids that mean different bytes in different dialects, ascending: their claims do not all share one
// layout.
[[nodiscard]] std::span<const std::uint16_t> conflicts();
[[nodiscard]] bool is_conflicting(std::uint32_t id);

// Every layout; and the one with this label, null when there is none.
[[nodiscard]] std::span<const TypeLayout> layouts();
[[nodiscard]] const TypeLayout* find_layout(std::string_view label);
// Every row of every dialect with this layout, mainline first: the same bytes under other numbers or names.
// `layout` must be one of layouts().
[[nodiscard]] std::span<const TypeInfo* const> aliases_of(const TypeLayout& layout);

// Bytes of one row of `row_elements` elements (header included), and of a whole tensor. Empty when the layout
// is not known, the row is not a whole number of blocks, or the product does not fit 64 bits. shape: four
// dimensions, shape[0] fastest, missing ones 1. What must fit is the number of bytes; the number of elements
// may be larger. A tensor without elements has no bytes, except that the formulas of BitNet count their
// trailer even then. A tensor sized by a formula has no rows, so no row_bytes (but for t5b). Whether shape[1]
// is a multiple of row_group is not asked here: readers compute a size without it.
[[nodiscard]] std::optional<std::uint64_t> row_bytes(const TypeLayout& layout, std::uint64_t row_elements);
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(const TypeLayout& layout,
                                                        const std::array<std::uint64_t, 4>& shape);

// Whether two known layouts give equal sizes to every shape that both can hold, so that no offset tells them
// apart.
[[nodiscard]] bool sizes_agree(const TypeLayout& a, const TypeLayout& b);

}  // namespace ggufvet
