// The general.* keys about quantisation, and the ones a publisher is asked for.
#include <algorithm>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"
#include "ggufvet/types/file_types.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr KeyId kVersionKey = key_id("general.quantization_version");
constexpr KeyId kFileTypeKey = key_id("general.file_type");
constexpr std::uint64_t kQuantisationVersion = 2;  // what ggml calls GGML_QNT_VERSION
constexpr std::uint64_t kGuessedFlag = 1024;

[[nodiscard]] bool is_model(const MeaningFacts& facts) { return facts.role == FileRole::model; }

[[nodiscard]] bool has_half_precision(const MeaningFacts& facts) {
  return std::any_of(facts.model.tensors.begin(), facts.model.tensors.end(), [](const TensorFacts& tensor) {
    return tensor.type != nullptr && tensor.type->name != "F32" && tensor.type->layout->block_elements == 1;
  });
}

// Bytes of the matrices in the layers, and how many of them are of the types that the file type speaks of.
// The embedding, the output and what is not a matrix are left out: quantisers give them types of their own.
struct BodyBytes {
  std::uint64_t all = 0;
  std::uint64_t of_main_types = 0;
};

[[nodiscard]] bool is_main_type(const FileType& type, std::string_view name) {
  const auto names = type.main_type_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Rows that no block of a main type divides are given another type by every quantiser: they prove nothing.
[[nodiscard]] bool could_be_main_type(const FileType& type, const TensorEntry& entry, DialectId dialect) {
  for (const std::string_view name : type.main_type_names()) {
    const TypeInfo* const info = find_type(dialect, name);
    if (info == nullptr || info->layout->block_elements == 0) continue;
    if (entry.shape[0] % info->layout->block_elements == 0) return true;
  }
  return false;
}

[[nodiscard]] BodyBytes body_bytes(const MeaningFacts& facts, const FileType& type) {
  BodyBytes bytes;
  for (std::size_t index = 0; index < facts.file.tensors.size(); ++index) {
    const TensorFacts& tensor = facts.model.tensors[index];
    if (tensor.size_problem != SizeProblem::none || facts.file.tensors[index].rank < 2) continue;
    if (facts.places[index].area == TensorArea::root) continue;
    if (!could_be_main_type(type, facts.file.tensors[index], facts.model.dialect)) continue;
    // Each is below 2^63 and their sum was compared with the file; a wrapped sum would only misplace a note.
    bytes.all += tensor.bytes;
    if (is_main_type(type, tensor.type->name)) bytes.of_main_types += tensor.bytes;
  }
  return bytes;
}

[[nodiscard]] const FileType* file_type_of(const MeaningFacts& facts) {
  const auto value = facts.number(kFileTypeKey);
  if (!value || *value > 0xFFFFFFFF) return nullptr;
  return find_file_type(facts.model.dialect, static_cast<std::uint32_t>(*value & ~kGuessedFlag));
}

constexpr std::string_view kRequantise = "Harmless to run. A publisher quantises again with a current tool.";

constexpr Rule kRows[] = {
    {.id = {3030},
     .slug = "quantization-version-missing",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::off,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "{0} tensors are quantised, and general.quantization_version is not there",
     .why = "The layout of quantised blocks has changed in the past; the key says which one this is.",
     .advice = kRequantise,
     .sources = "The format document requires the key when any tensor is quantised; loaders do without it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const bool speaks_of_model = is_model(facts) || facts.role == FileRole::projector;
           if (speaks_of_model && facts.quantised_count > 0 && facts.pair(kVersionKey) == nullptr)
             raise(facts.metadata_place(), facts.quantised_count);
         }},
    {.id = {3031},
     .slug = "quantization-version-unsaid",
     .stage = Stage::meaning,
     .levels = kPublishWarning,
     .text = "general.quantization_version is not there",
     .why = "Nothing here is quantised to blocks, so loaders do not miss it; converters write it all the "
            "same, and "
            "tools that quantise the file further copy it.",
     .advice = "A publisher converts again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (is_model(facts) && !facts.architecture_name.empty() && facts.quantised_count == 0 &&
               facts.pair(kVersionKey) == nullptr && has_half_precision(facts))
             raise(facts.metadata_place());
         }},
    {.id = {3032},
     .slug = "quantization-version-other",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "general.quantization_version is {0}; blocks are laid out as of version {1} everywhere today",
     .why = "If the number is true, every quantised tensor decodes to something else.",
     .advice = "Ask its publisher for a file written by a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto version = facts.number(kVersionKey);
           if (version && *version != kQuantisationVersion && facts.quantised_count > 0)
             raise(value_place(*facts.pair(kVersionKey)), *version, kQuantisationVersion);
         }},
    {.id = {3033},
     .slug = "file-type-guessed",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "general.file_type is {0}: the flag 1024 says that a program guessed it",
     .why =
         "The flag is for a program's memory; readers compare the number as a whole and find no such type.",
     .advice = kRequantise,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto value = facts.number(kFileTypeKey);
           if (value && *value <= 0xFFFFFFFF && (*value & kGuessedFlag) != 0)
             raise(value_place(*facts.pair(kFileTypeKey)), *value);
         }},
    {.id = {3034},
     .slug = "file-type-unknown",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "general.file_type is {0}, which means nothing in the dialect {dialect}",
     .why = "The key is a summary for people; the tensors say what they are made of themselves.",
     .advice = "Harmless to run. If the file is from a fork, name its dialect with --dialect.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto value = facts.number(kFileTypeKey);
           if (value && file_type_of(facts) == nullptr) raise(value_place(*facts.pair(kFileTypeKey)), *value);
         }},
    {.id = {3035},
     .slug = "file-type-disagrees",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text =
         "general.file_type is {0}, and only {1} of {2} bytes in the layers are of the types it stands for",
     .why = "People choose a file by this name; it says little of what is inside.",
     .advice = "Harmless to run: `ggufvet show` lists the types. A publisher sets the key to what the file "
               "mostly is.",
     .sources =
         "Quantisers mix types and users override them, so less than half of the bytes in layer matrices is "
         "what counts as disagreement.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const FileType* const type = file_type_of(facts);
           if (type == nullptr || type->main_type_names().empty() || !is_model(facts)) return;
           const BodyBytes bytes = body_bytes(facts, *type);
           if (bytes.of_main_types < bytes.all / 2 || (bytes.all > 0 && bytes.of_main_types == 0))
             raise(value_place(*facts.pair(kFileTypeKey)), *facts.number(kFileTypeKey), bytes.of_main_types,
                   bytes.all);
         }},
    {.id = {3040},
     .slug = "publisher-key-missing",
     .stage = Stage::meaning,
     .levels = kPublishNote,
     .text = "{key:0} is not there{1:others}",
     .why = "Those who find the file want to know what it is, whose, and under which terms.",
     .advice =
         "A publisher adds the key: model cards and the converter's --metadata file are where it comes from.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_model(facts) || facts.architecture_name.empty()) return;
           std::uint64_t count = 0;
           KeyId first = KeyId::none;
           for (const KeyId id : {key_id("general.name"), key_id("general.license"), key_id("general.author"),
                                  key_id("general.languages"), key_id("general.base_model.count"),
                                  key_id("general.file_type")})
             if (facts.pair(id) == nullptr && count++ == 0) first = id;
           if (count > 0) raise(facts.metadata_place(), static_cast<std::uint64_t>(first), count - 1);
         }},
    {.id = {3041},
     .slug = "license-empty",
     .stage = Stage::meaning,
     .levels = kPublishWarning,
     .text = "{key:0} is there and says nothing",
     .why = "An empty licence reads as none.",
     .advice = "A publisher writes an SPDX expression, or leaves the key out.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kLicense = key_id("general.license");
           const MetadataPair* const pair = facts.pair(kLicense);
           if (pair != nullptr && pair->is(ValueType::string) && pair->text.empty())
             raise(value_place(*pair), static_cast<std::uint64_t>(kLicense));
         }},
};

}  // namespace

std::span<const Rule> general_rules() { return kRows; }

}  // namespace ggufvet
