#include "ggufvet/render/meaning_words.h"

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/rules/architectures.h"
#include "ggufvet/rules/standard_keys.h"

namespace ggufvet {
namespace {

constexpr std::string_view kArchitectureUnknown = "ARCHITECTURE";

[[nodiscard]] std::string_view architecture_name(const FileModel& file) {
  const MetadataPair* const pair = find_pair(file, "general.architecture");
  return pair != nullptr && pair->is(ValueType::string) ? pair->text : std::string_view{};
}

[[nodiscard]] std::string type_list(ValueTypeSet set) {
  std::string words;
  for (const ValueTypeInfo& info : kValueTypes)
    if (contains(set, static_cast<std::uint32_t>(info.type)))
      words += fmt::format("{}{}", words.empty() ? "" : " or ", info.name);
  return words;
}

}  // namespace

std::string key_word(std::uint64_t key, const FileModel& file) {
  const std::string_view pattern = standard_key(static_cast<KeyId>(key)).pattern;
  if (!pattern.starts_with(kArchitectureMark)) return std::string(pattern);
  const std::string_view name = architecture_name(file);
  const std::string shown = name.empty() ? std::string(kArchitectureUnknown) : escaped(name);
  return shown + std::string(pattern.substr(kArchitectureMark.size()));
}

std::string accepts_word(std::uint64_t key) {
  const StandardKey& row = standard_key(static_cast<KeyId>(key));
  const std::string elements = row.elements == 0        ? ""
                               : row.elements == 0x1FFF ? "an array"
                                                        : "an array of " + type_list(row.elements);
  if (row.scalars == 0) return elements;
  return type_list(row.scalars) + (elements.empty() ? "" : " or " + elements);
}

std::string layer_tensor_word(std::uint64_t row, std::uint64_t layer, const FileModel& file) {
  const Architecture* const architecture = find_architecture(architecture_name(file));
  if (architecture == nullptr || row >= architecture->row_count()) return "a tensor";
  const TensorRow& tensor = architecture->row(static_cast<std::size_t>(row));
  switch (tensor.area) {
    case TensorArea::root:
      return std::string(tensor.name);
    case TensorArea::block:
      return fmt::format("blk.{}.{}", layer, tensor.name);
    case TensorArea::encoder:
      return fmt::format("enc.blk.{}.{}", layer, tensor.name);
    case TensorArea::decoder:
      return fmt::format("dec.blk.{}.{}", layer, tensor.name);
  }
  return std::string(tensor.name);
}

}  // namespace ggufvet
