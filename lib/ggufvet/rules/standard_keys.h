// The standard keys of metadata as rows of data: what a value must be, what some reader takes all the same,
// how long an array must be. A key of a file is looked up here, never assumed; keys that are not here are
// nobody's business.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ggufvet/read/file_model.h"

namespace ggufvet {

// A set of value types, one bit for each number.
using ValueTypeSet = std::uint16_t;

[[nodiscard]] constexpr ValueTypeSet value_type_bit(ValueType type) {
  return static_cast<ValueTypeSet>(1U << static_cast<std::uint32_t>(type));
}
[[nodiscard]] constexpr bool contains(ValueTypeSet set, std::uint32_t type_id) {
  return type_id < 16 && ((set >> type_id) & 1U) != 0;
}

// How many elements the array form of a key must have.
enum class ElementCount : std::uint8_t { any, even, three, four, layers, tokens };

struct StandardKey {
  std::string_view pattern{};
  ValueTypeSet scalars = 0;
  ValueTypeSet elements = 0;  // element types of the array form
  ValueTypeSet tolerated_scalars = 0;
  ValueTypeSet tolerated_elements = 0;
  ElementCount count{};
  bool read_by_loaders = false;  // else it only describes
  std::string_view successor{};  // the key that took its place
};

// Index of a row of standard_keys(). Ids are for use within one build: nothing may store them.
enum class KeyId : std::uint16_t { none = 0xFFFF };

[[nodiscard]] std::span<const StandardKey> standard_keys();
[[nodiscard]] const StandardKey& standard_key(KeyId id);

// The row that a key of a file falls under when its general.architecture is `architecture`.
[[nodiscard]] KeyId find_standard_key(std::string_view key, std::string_view architecture);

// The standard key that is one letter added, lost, replaced, or swapped with its neighbour away from a key
// that is none; KeyId::none when there is no such key.
[[nodiscard]] KeyId find_near_standard_key(std::string_view key, std::string_view architecture);

inline constexpr std::string_view kArchitectureMark = "{arch}";

}  // namespace ggufvet
