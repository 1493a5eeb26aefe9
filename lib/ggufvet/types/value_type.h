// The types of metadata values, as numbered in a GGUF file. Pure data: a number is looked up, never assumed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ggufvet {

enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,  // one byte; the format document allows 0 and 1 only
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

struct ValueTypeInfo {
  ValueType type{};
  std::string_view name;
  std::uint32_t bytes = 0;  // of one value; 0 for string and array, whose size is in the file
};

inline constexpr std::array<ValueTypeInfo, 13> kValueTypes = {{
    {ValueType::u8, "u8", 1},
    {ValueType::i8, "i8", 1},
    {ValueType::u16, "u16", 2},
    {ValueType::i16, "i16", 2},
    {ValueType::u32, "u32", 4},
    {ValueType::i32, "i32", 4},
    {ValueType::f32, "f32", 4},
    {ValueType::boolean, "bool", 1},
    {ValueType::string, "string", 0},
    {ValueType::array, "array", 0},
    {ValueType::u64, "u64", 8},
    {ValueType::i64, "i64", 8},
    {ValueType::f64, "f64", 8},
}};

// Null when no such value type exists: a reader has to stop there, for the size of the value is not known.
[[nodiscard]] constexpr const ValueTypeInfo* find_value_type(std::uint32_t number) {
  return number < kValueTypes.size() ? &kValueTypes[number] : nullptr;
}

[[nodiscard]] constexpr const ValueTypeInfo* find_value_type(std::string_view name) {
  for (const ValueTypeInfo& row : kValueTypes)
    if (row.name == name) return &row;
  return nullptr;
}

[[nodiscard]] constexpr const ValueTypeInfo& value_type_info(ValueType type) {
  return kValueTypes[static_cast<std::uint32_t>(type)];
}

namespace value_type_checks {

consteval bool numbers_are_indices() {
  for (std::uint32_t number = 0; number < kValueTypes.size(); ++number)
    if (static_cast<std::uint32_t>(kValueTypes[number].type) != number) return false;
  return true;
}
static_assert(numbers_are_indices());

}  // namespace value_type_checks

}  // namespace ggufvet
