// The fields of our block structs as data, so that a layout vector can hold them to byte positions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ggufvet::golden {

struct StructField {
  std::string_view label;  // of the layout
  std::string_view name;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unit = 0;  // bytes of one integer or float in it: 1, 2, 4 or 8
};

[[nodiscard]] std::span<const StructField> struct_fields();

}  // namespace ggufvet::golden
