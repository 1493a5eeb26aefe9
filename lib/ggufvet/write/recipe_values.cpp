#include "ggufvet/write/recipe_values.h"

#include <charconv>

namespace ggufvet {
namespace {

// Values are built and written by recursion; no case needs more.
constexpr std::uint32_t kNestMax = 1024;
constexpr std::uint64_t kTypeIdMax = 0xFFFFFFFF;

constexpr std::string_view kArray = "array:";
constexpr std::string_view kNest = "nest:";
constexpr std::string_view kNumbered = "type:";

[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view digits, std::uint64_t value_max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > value_max) return std::nullopt;
  return value;
}

// The id that a type is written as; empty when it does not parse.
[[nodiscard]] std::optional<std::uint32_t> id_of(std::string_view type) {
  if (type.starts_with(kArray) || type.starts_with(kNest))
    return static_cast<std::uint32_t>(ValueType::array);
  if (type.starts_with(kNumbered)) {
    const auto id = parse_number(type.substr(kNumbered.size()), kTypeIdMax);
    return id ? std::optional(static_cast<std::uint32_t>(*id)) : std::nullopt;
  }
  const ValueTypeInfo* const info = find_value_type(type);
  if (info == nullptr || info->type == ValueType::array) return std::nullopt;
  return static_cast<std::uint32_t>(info->type);
}

[[nodiscard]] ValueSpec value_of(RecipeScanner& in, std::string_view type, std::uint32_t depth);

// What a copy of a value takes, all it holds included.
[[nodiscard]] std::uint64_t cost_of(const ValueSpec& value) {
  std::uint64_t cost = sizeof(ValueSpec) + value.text.bytes.size() + value.raw.size();
  for (const ValueSpec& element : value.elements) cost += cost_of(element);
  return cost;
}

void array_elements(RecipeScanner& in, std::string_view element_type, std::uint32_t depth, ValueSpec& array) {
  in.expect('[');
  while (in.ok() && !in.take(']')) {
    const ValueSpec element = value_of(in, element_type, depth + 1);
    const std::uint64_t times = in.take('*') ? in.number() : 1;
    const std::uint64_t cost = times > 1 ? cost_of(element) : sizeof(ValueSpec);
    for (std::uint64_t time = 0; time < times && in.spend(cost); ++time) array.elements.push_back(element);
    static_cast<void>(in.take(','));
    if (in.ok() && in.at_end()) in.fail("expected ]");
  }
}

[[nodiscard]] ValueSpec array_of(RecipeScanner& in, std::string_view element_type, std::uint32_t depth) {
  ValueSpec array;
  array.type_id = static_cast<std::uint32_t>(ValueType::array);
  array.element_type_id = *id_of(element_type);
  if (element_type.starts_with(kNumbered)) {
    if (!in.next_is('['))
      array.raw = in.bytes();
    else if (in.take('['))
      in.expect(']');
  } else {
    array_elements(in, element_type, depth, array);
  }
  array.count = in.attribute("count");
  return array;
}

// nest:N:TYPE
[[nodiscard]] ValueSpec nest_of(RecipeScanner& in, std::string_view type, std::uint32_t depth) {
  const std::string_view after = type.substr(kNest.size());
  const std::size_t colon = after.find(':');
  const auto levels =
      colon == std::string_view::npos ? std::nullopt : parse_number(after.substr(0, colon), kNestMax);
  if (!levels || *levels == 0) {
    in.fail("nest:N:TYPE needs an N of 1 to " + std::to_string(kNestMax));
    return {};
  }
  const std::string_view leaf_type = after.substr(colon + 1);
  std::uint32_t element_type_id = id_of(leaf_type).value_or(0);
  ValueSpec value = value_of(in, leaf_type, depth + static_cast<std::uint32_t>(*levels));
  for (std::uint64_t level = 0; level < *levels && in.spend(sizeof(ValueSpec)); ++level) {
    ValueSpec array;
    array.type_id = static_cast<std::uint32_t>(ValueType::array);
    array.element_type_id = element_type_id;
    array.elements.push_back(std::move(value));
    value = std::move(array);
    element_type_id = value.type_id;
  }
  return value;
}

ValueSpec value_of(RecipeScanner& in, std::string_view type, std::uint32_t depth) {
  const auto id = id_of(type);
  if (!id) in.fail("there is no value type " + std::string(type));
  if (depth > kNestMax) in.fail("arrays are nested too deeply for a recipe");
  if (!in.ok()) return {};
  if (type.starts_with(kNest)) return nest_of(in, type, depth);
  if (type.starts_with(kArray)) {
    if (!id_of(type.substr(kArray.size()))) {
      in.fail("there is no value type " + std::string(type.substr(kArray.size())));
      return {};
    }
    return array_of(in, type.substr(kArray.size()), depth);
  }
  if (type.starts_with(kNumbered)) return raw_value(*id, in.at_end() ? Bytes{} : in.bytes());
  const ValueTypeInfo& info = *find_value_type(*id);
  if (info.type == ValueType::string) return string_value(in.counted_text());
  return number_value(info.type, in.scalar(info));
}

}  // namespace

ValueSpec scan_value(RecipeScanner& in) { return value_of(in, in.word(), 0); }

}  // namespace ggufvet
