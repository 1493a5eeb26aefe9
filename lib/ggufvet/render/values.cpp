#include "ggufvet/render/values.h"

#include <bit>
#include <limits>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/style.h"

namespace ggufvet {

std::string scalar_text(ValueType type, std::uint64_t bits) {
  switch (type) {
    case ValueType::i8:
      return std::to_string(static_cast<std::int8_t>(bits));
    case ValueType::i16:
      return std::to_string(static_cast<std::int16_t>(bits));
    case ValueType::i32:
      return std::to_string(static_cast<std::int32_t>(bits));
    case ValueType::i64:
      return std::to_string(static_cast<std::int64_t>(bits));
    case ValueType::f32:
      return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ValueType::f64:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case ValueType::boolean:
      return bits == 0 ? "false" : bits == 1 ? "true" : fmt::format("bool of {}", bits);
    default:
      return std::to_string(bits);
  }
}

std::string value_type_text(const MetadataPair& pair) {
  const ValueTypeInfo* const info = find_value_type(pair.type_id);
  if (info == nullptr) return "type " + std::to_string(pair.type_id);
  if (info->type != ValueType::array) return std::string(info->name);
  const ValueTypeInfo* const element = find_value_type(pair.element_type_id);
  const std::string_view name = element != nullptr ? element->name : "unknown";
  if (pair.depth > 1) return fmt::format("array of {} of {}", counted(pair.bits, "array", "arrays"), name);
  return fmt::format("array of {} {}", with_separators(pair.bits), name);
}

std::uint64_t array_element_bits(const FileModel& file, const MetadataPair& pair, std::uint64_t index) {
  const std::uint64_t bytes = smallest_value_bytes(pair.element_type_id);
  const std::uint64_t begin = pair.elements_field().begin + index * bytes;
  Cursor in(file.window, file.file_bytes, file.header.byte_order);
  in.skip(begin);
  switch (bytes) {
    case 1:
      return in.read<std::uint8_t>();
    case 2:
      return in.read<std::uint16_t>();
    case 4:
      return in.read<std::uint32_t>();
    default:
      return in.read<std::uint64_t>();
  }
}

namespace {

[[nodiscard]] std::string array_preview(const FileModel& file, const MetadataPair& pair,
                                        std::size_t characters_max) {
  // Where nothing else is shortened, elements are not either.
  constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  const std::size_t element_characters_max = characters_max == kUnlimited ? kUnlimited : 24;
  if (pair.depth > 1) return "[…]";
  std::string out = "[";
  std::uint64_t shown = 0;
  const auto add = [&](std::string_view text) {
    if (shown++ > 0) out += ", ";
    out += text;
    return out.size() < characters_max;
  };
  if (pair.element_type_id == static_cast<std::uint32_t>(ValueType::string)) {
    for_each_string(file, pair, [&](std::uint64_t, std::string_view text, ByteRange) {
      return add('"' + escaped(text, element_characters_max) + '"');
    });
  } else {
    const auto type = static_cast<ValueType>(pair.element_type_id);
    for (std::uint64_t index = 0; index < pair.bits; ++index)
      if (!add(scalar_text(type, array_element_bits(file, pair, index)))) break;
  }
  if (shown < pair.bits) out += ", …";
  return out + "]";
}

}  // namespace

std::string value_preview(const FileModel& file, const MetadataPair& pair, std::size_t characters_max) {
  if (pair.depth > 0) return array_preview(file, pair, characters_max);
  if (pair.is(ValueType::string)) return '"' + escaped(pair.text, characters_max) + '"';
  return scalar_text(static_cast<ValueType>(pair.type_id), pair.bits);
}

}  // namespace ggufvet
