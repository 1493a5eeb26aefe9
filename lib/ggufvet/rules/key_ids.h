// Names for the rows of standard_keys.inc, resolved while compiling: key_id("{arch}.block_count") is an
// index, and a key that is not in the table does not compile. Internal to the rules layer.
#pragma once

#include <iterator>

#include "ggufvet/rules/standard_keys.h"

namespace ggufvet {
namespace key_rows {

inline constexpr ValueTypeSet kU8 = value_type_bit(ValueType::u8);
inline constexpr ValueTypeSet kI8 = value_type_bit(ValueType::i8);
inline constexpr ValueTypeSet kU16 = value_type_bit(ValueType::u16);
inline constexpr ValueTypeSet kI16 = value_type_bit(ValueType::i16);
inline constexpr ValueTypeSet kU32 = value_type_bit(ValueType::u32);
inline constexpr ValueTypeSet kI32 = value_type_bit(ValueType::i32);
inline constexpr ValueTypeSet kF32 = value_type_bit(ValueType::f32);
inline constexpr ValueTypeSet kBoolean = value_type_bit(ValueType::boolean);
inline constexpr ValueTypeSet kString = value_type_bit(ValueType::string);
inline constexpr ValueTypeSet kU64 = value_type_bit(ValueType::u64);
inline constexpr ValueTypeSet kI64 = value_type_bit(ValueType::i64);
inline constexpr ValueTypeSet kF64 = value_type_bit(ValueType::f64);
inline constexpr ValueTypeSet kIntegers = kU8 | kI8 | kU16 | kI16 | kU32 | kI32 | kU64 | kI64;
inline constexpr ValueTypeSet kAny = 0x1FFF;

inline constexpr StandardKey kRows[] = {
#include "ggufvet/rules/standard_keys.inc"
};

}  // namespace key_rows

inline constexpr std::size_t kStandardKeyCount = std::size(key_rows::kRows);

void there_is_no_such_standard_key();  // never defined: reaching it while compiling is an error

consteval KeyId key_id(std::string_view pattern) {
  for (std::size_t index = 0; index < kStandardKeyCount; ++index)
    if (key_rows::kRows[index].pattern == pattern) return static_cast<KeyId>(index);
  there_is_no_such_standard_key();
  return KeyId::none;
}

}  // namespace ggufvet
