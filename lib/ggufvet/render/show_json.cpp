#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ggufvet/read/array_reader.h"
#include "ggufvet/render/json_text.h"
#include "ggufvet/render/show.h"
#include "ggufvet/render/values.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

// Numbers stay numbers where JSON can hold them; a float that JSON has no word for becomes text.
[[nodiscard]] Json json_scalar(ValueType type, std::uint64_t bits) {
  switch (type) {
    case ValueType::i8:
      return static_cast<std::int8_t>(bits);
    case ValueType::i16:
      return static_cast<std::int16_t>(bits);
    case ValueType::i32:
      return static_cast<std::int32_t>(bits);
    case ValueType::i64:
      return static_cast<std::int64_t>(bits);
    case ValueType::boolean:
      return bits != 0;
    case ValueType::f32:
    case ValueType::f64: {
      const double value = type == ValueType::f64
                               ? std::bit_cast<double>(bits)
                               : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      if (std::isfinite(value)) return value;
      return scalar_text(type, bits);
    }
    default:
      return bits;
  }
}

struct Caps {
  std::uint64_t elements = 0;
  std::size_t text_bytes = 0;
};

[[nodiscard]] Json json_array(const FileModel& file, const MetadataPair& pair, const Caps& caps) {
  Json elements = Json::array();
  if (pair.depth != 1) return elements;
  if (pair.element_type_id == static_cast<std::uint32_t>(ValueType::string)) {
    for_each_string(file, pair, [&](std::uint64_t index, std::string_view text, ByteRange) {
      if (index >= caps.elements) return false;
      elements.push_back(capped(text, caps.text_bytes));
      return true;
    });
    return elements;
  }
  for (std::uint64_t index = 0; index < std::min(pair.bits, caps.elements); ++index)
    elements.push_back(
        json_scalar(static_cast<ValueType>(pair.element_type_id), array_element_bits(file, pair, index)));
  return elements;
}

// Bytes of one text from the file.
[[nodiscard]] std::size_t text_shown_max(const ShowOptions& options) {
  return options.full ? std::numeric_limits<std::size_t>::max() : 4096;
}

[[nodiscard]] Json json_pair(const FileModel& file, const MetadataPair& pair, const ShowOptions& options) {
  constexpr std::uint64_t kElementsShownMax = 16;
  const std::size_t text_bytes_max = text_shown_max(options);
  const ValueTypeInfo* const info = find_value_type(pair.type_id);
  Json json{{"key", capped(pair.key, text_bytes_max)},
            {"type", info != nullptr ? std::string(info->name) : std::to_string(pair.type_id)},
            {"range", {{"begin", pair.begin}, {"end", pair.end}}}};
  if (pair.depth > 0) {
    const ValueTypeInfo* const element = find_value_type(pair.element_type_id);
    json["element_type"] =
        element != nullptr ? std::string(element->name) : std::to_string(pair.element_type_id);
    json["count"] = pair.bits;
    json["value"] = json_array(file, pair, {options.full ? pair.bits : kElementsShownMax, text_bytes_max});
    json["shortened"] = !options.full && pair.bits > kElementsShownMax;
  } else if (pair.is(ValueType::string)) {
    json["value"] = capped(pair.text, text_bytes_max);
    json["shortened"] = pair.text.size() > text_bytes_max;
  } else {
    json["value"] = json_scalar(static_cast<ValueType>(pair.type_id), pair.bits);
  }
  return json;
}

[[nodiscard]] Json json_tensor(const ModelFacts& facts, std::uint32_t index, std::size_t text_bytes_max) {
  const TensorEntry& entry = facts.file.tensors[index];
  const TensorFacts& tensor = facts.tensors[index];
  Json shape = Json::array();
  for (std::uint32_t axis = 0; axis < entry.rank; ++axis) shape.push_back(entry.shape[axis]);
  Json json{{"name", capped(entry.name, text_bytes_max)},
            {"type_id", entry.type_id},
            {"type", tensor.type != nullptr ? Json(tensor.type->name) : Json(nullptr)},
            {"shape", shape},
            {"offset", entry.offset}};
  if (tensor.size_problem == SizeProblem::none) json["bytes"] = tensor.bytes;
  const ByteRange data = facts.data_range(index);
  if (!data.empty()) json["range"] = {{"begin", data.begin}, {"end", data.end}};
  return json;
}

}  // namespace

std::string show_json(std::string_view path, const Vetted& vetted, const ShowOptions& options,
                      std::string_view tool_version) {
  const FileModel& file = vetted.file;
  Json json{{"schema", "ggufvet.show/1"},
            {"tool", {{"name", "ggufvet"}, {"version", std::string(tool_version)}}},
            {"path", std::string(path)},
            {"bytes", file.file_bytes},
            {"verdict", verdict_name(vetted.report.verdict)},
            {"dialect", dialect(vetted.facts.dialect).slug},
            {"complete", file.complete()}};
  if (file.stage != ReadStage::header) {
    json["version"] = file.header.version;
    json["byte_order"] = file.header.byte_order == ByteOrder::big ? "big" : "little";
  }
  if (vetted.facts.alignment) json["alignment"] = *vetted.facts.alignment;
  if (vetted.facts.data_begin) json["data_begin"] = *vetted.facts.data_begin;
  if (const std::string text = file_type_text(vetted.facts); !text.empty()) json["file_type"] = text;
  json["types"] = Json::array();
  for (const TypeShare& share : type_shares(vetted.facts))
    json["types"].push_back({{"type_id", share.type_id},
                             {"type", share.name},
                             {"tensors", share.tensors},
                             {"elements", share.elements},
                             {"bytes", share.bytes}});
  json["metadata"] = Json::array();
  if (options.metadata)
    for (const MetadataPair& pair : file.pairs) json["metadata"].push_back(json_pair(file, pair, options));
  json["tensors"] = Json::array();
  if (options.tensors)
    for (std::uint32_t index = 0; index < file.tensors.size(); ++index)
      json["tensors"].push_back(json_tensor(vetted.facts, index, text_shown_max(options)));
  return dumped(json) + "\n";
}

}  // namespace ggufvet
