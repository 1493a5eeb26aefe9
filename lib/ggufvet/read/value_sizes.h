// What the smallest value of a type takes in a file: what a count is divided into before it is believed.
#pragma once

#include <cstdint>

#include "ggufvet/types/value_type.h"

namespace ggufvet {

[[nodiscard]] constexpr bool is_value_type(std::uint32_t type_id) {
  return find_value_type(type_id) != nullptr;
}

// The exact size of a fixed-size value; of a string its length field, of an array its element type and count.
[[nodiscard]] constexpr std::uint64_t smallest_value_bytes(std::uint32_t type_id) {
  const ValueTypeInfo* const info = find_value_type(type_id);
  if (info == nullptr) return 1;
  if (info->type == ValueType::string) return 8;
  if (info->type == ValueType::array) return 12;
  return info->bytes;
}

}  // namespace ggufvet
