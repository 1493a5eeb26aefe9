// Begins from a small valid model of an architecture that the input chooses and changes it field by field as
// the input says: values and types of keys, elements of arrays, names, shapes, types of tensors. The result
// is a file that can be read, so every change reaches the rules about meaning. What must hold is what holds
// of any file.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ggufvet/rules/standard_keys.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/small_models_test.h"
#include "properties.h"

namespace {

using namespace ggufvet;

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  [[nodiscard]] std::size_t below(std::size_t count) {
    const std::size_t wide = static_cast<std::size_t>(byte()) << 8 | byte();
    return count == 0 ? 0 : wide % count;
  }
  // Small numbers, powers of two and their neighbours, all ones, anything.
  [[nodiscard]] std::uint64_t number() {
    const std::uint8_t kind = byte();
    const std::uint8_t value = byte();
    switch (kind % 4) {
      case 0:
        return value;
      case 1:
        return (std::uint64_t{1} << (value % 64)) + kind / 4 % 3 - 1;
      case 2:
        return ~std::uint64_t{0} - value;
      default: {
        std::uint64_t wide = value;
        for (int index = 0; index < 7; ++index) wide = wide << 8 | byte();
        return wide;
      }
    }
  }
  [[nodiscard]] std::string text() {
    constexpr std::array<const char*, 16> kTexts{"",         "a",      "b",     "ab",        "a b", " ",
                                                 "<0x41>",   "<0xZZ>", "gpt2",  "llama",     "t5",  "bert",
                                                 "no_vocab", "clip",   "model", "<|eot_id|>"};
    const std::uint8_t kind = byte();
    if (kind < 192) return kTexts[kind % kTexts.size()];
    std::string text;
    for (std::uint8_t left = kind % 64; left > 0; --left) text += static_cast<char>(byte());
    return text;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

ValueSpec value_of(ValueType type, Choices& choices) {
  if (type == ValueType::string) return string_value(choices.text());
  const std::uint64_t bytes = value_type_info(type).bytes;
  std::uint64_t bits = choices.number();
  if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
  return number_value(type, bits);
}

ValueType scalar_type(Choices& choices) {
  const ValueType type = kValueTypes[choices.byte() % kValueTypes.size()].type;
  return type == ValueType::array ? ValueType::u32 : type;
}

ValueSpec any_value(Choices& choices) {
  const bool array = choices.byte() % 3 == 0;
  const ValueType type = scalar_type(choices);
  if (!array) return value_of(type, choices);
  std::vector<ValueSpec> elements;
  for (std::size_t left = choices.byte() % 9; left > 0; --left) elements.push_back(value_of(type, choices));
  return array_value(type, std::move(elements));
}

std::string standard_name(const FileSpec& spec, Choices& choices) {
  const auto keys = standard_keys();
  const std::string& architecture = spec.pairs.empty() ? "" : spec.pairs.front().value.text.bytes;
  return small_models::with_architecture(keys[choices.below(keys.size())].pattern, architecture);
}

void change_array(ValueSpec& value, Choices& choices) {
  if (value.elements.empty()) return;
  const std::size_t at = choices.below(value.elements.size());
  switch (choices.byte() % 4) {
    case 0:
      value.elements.erase(value.elements.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      value.elements.push_back(value.elements[at]);
      break;
    default:
      value.elements[at] = value_of(static_cast<ValueType>(value.element_type_id), choices);
  }
}

void change_pair(FileSpec& spec, Choices& choices) {
  if (spec.pairs.empty()) return;
  const std::size_t at = choices.below(spec.pairs.size());
  PairSpec& pair = spec.pairs[at];
  switch (choices.byte() % 8) {
    case 0:
      spec.pairs.erase(spec.pairs.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      pair.value = any_value(choices);
      break;
    case 2:
      pair.key = standard_name(spec, choices);
      break;
    case 3:
    case 4:
      change_array(pair.value, choices);
      break;
    default:
      if (pair.value.type_id == static_cast<std::uint32_t>(ValueType::array))
        change_array(pair.value, choices);
      else
        pair.value = value_of(static_cast<ValueType>(pair.value.type_id), choices);
  }
}

void change_tensor(FileSpec& spec, Choices& choices) {
  if (spec.tensors.empty()) return;
  const std::size_t at = choices.below(spec.tensors.size());
  TensorSpec& tensor = spec.tensors[at];
  switch (choices.byte() % 6) {
    case 0:
      spec.tensors.erase(spec.tensors.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      tensor.type_id = choices.byte();
      break;
    case 2:
      tensor.name = "blk." + std::to_string(choices.number()) + "." + choices.text();
      break;
    case 3:
      tensor.name = spec.tensors[choices.below(spec.tensors.size())].name;
      break;
    case 4:
      if (tensor.shape.size() < 4) tensor.shape.push_back(choices.number());
      break;
    default:
      if (!tensor.shape.empty()) tensor.shape[choices.below(tensor.shape.size())] = choices.number();
  }
}

const FileSpec& chosen_model(Choices& choices) {
  static const std::vector<FileSpec> models = [] {
    std::vector<FileSpec> list;
    for (const Architecture& architecture : architectures()) list.push_back(small_model(architecture));
    for (FileSpec& model : list) model.labelled = false;
    return list;
  }();
  return models[choices.byte() % models.size()];
}

void check_profile(std::span<const std::byte> bytes, Profile profile, bool twice) {
  VetOptions options = fuzz::options_for(profile);
  options.dialect = DialectId::ggml;  // telling dialects apart takes far longer than what is looked for here
  MemorySource source(bytes);
  const auto vetted = vet(source, options);
  fuzz::check_model(vetted->file);
  fuzz::check_report(vetted->report, options, bytes.size());
  if (!twice) return;
  MemorySource again(bytes);
  fuzz::check_equal(vetted->report, vet(again, options)->report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kChangesMax = 32;
  Choices choices(data, size);
  FileSpec spec = chosen_model(choices);
  for (int count = 0; count < kChangesMax && !choices.empty(); ++count) {
    switch (choices.byte() % 8) {
      case 0:
        spec.pairs.push_back({standard_name(spec, choices), any_value(choices)});
        break;
      case 1:
      case 2:
        change_tensor(spec, choices);
        break;
      default:
        change_pair(spec, choices);
    }
  }
  const auto file = build_file(spec);
  if (!file) return 0;
  constexpr std::array<Profile, 3> kAsked{Profile::hardened, Profile::publish, Profile::spec};
  check_profile(file->bytes, kAsked[size % kAsked.size()], size % 8 == 0);  // vetting is most of the time
  return 0;
}
