// Looking up tensor types. Lookup takes (dialect, id) or (dialect, name): an id alone means nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ggufvet/types/type_info.h"

namespace ggufvet {

[[nodiscard]] std::span<const Dialect> dialects();
[[nodiscard]] const Dialect& dialect(DialectId id);
[[nodiscard]] std::optional<DialectId> find_dialect(std::string_view slug);

// The rows a dialect knows, ids ascending, inherited rows included. Null when the dialect has no such id.
[[nodiscard]] const TypeInfo* find_type(DialectId dialect, std::uint32_t id);
[[nodiscard]] const TypeInfo* find_type(DialectId dialect, std::string_view name);  // ASCII case ignored

// Every row of every dialect that claims this id itself (not by inheritance), mainline first.
[[nodiscard]] std::span<const TypeInfo* const> claims_of(std::uint32_t id);

// Bytes of one row of `row_elements` elements (header included), and of a whole tensor. Empty when the layout is not
// known, the row is not a whole number of blocks, or the product does not fit 64 bits. shape: four dimensions,
// shape[0] fastest, missing ones 1.
[[nodiscard]] std::optional<std::uint64_t> row_bytes(const TypeLayout& layout, std::uint64_t row_elements);
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(const TypeLayout& layout,
                                                        const std::array<std::uint64_t, 4>& shape);

}  // namespace ggufvet
