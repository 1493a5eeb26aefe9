// What type ids mean to whom: ids that dialects dispute, what the sizes in a file say about it, and files
// that load everywhere and are right in one place only.
#include <algorithm>
#include <array>

#include "ggufvet/rules/rule_families.h"
#include "ggufvet/types/file_types.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::string_view kNeedsFork =
    "It needs the program that wrote it. Name its dialect with `--dialect` to check the rest of the file.";

// Where the question is about, with its id and how many tensors have it.
void raise_at_contested(const ModelFacts& facts, const Raise& raise) {
  const TensorEntry& tensor = facts.file.tensors[*facts.dialects.contested_tensor];
  std::uint32_t count = 0;
  for (const DialectFacts::UsedId& used : facts.dialects.used)
    if (used.id == tensor.type_id) count = used.tensor_count;
  raise(tensor.type_field(), tensor.type_id, count);
}

// Whether the readings were asked and the file is not simply one that mainline's sizes fit.
[[nodiscard]] bool is_unsettled(const ModelFacts& facts) {
  return facts.dialects.asked && facts.dialects.contested_tensor.has_value() && !facts.mainline_explains;
}

[[nodiscard]] bool is_prism(const ModelFacts& facts) {
  return dialect(facts.dialect).slug.starts_with("prism");
}

constexpr Rule kRows[] = {
    {.id = {2501},
     .slug = "type-id-conflicting",
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "type id {0:id} is {0:type} in mainline, and the sizes in this file are not its; every claim: "
             "{all_claims}",
     .why = "A stock reader that does not compare sizes loads the file and decodes nonsense without a word.",
     .advice = kNeedsFork,
     .sources =
         "Mainline refuses the offsets; readers that only use them (gguf-py, Hugging Face's parser) do not.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && facts.dialects.mainline_knows && facts.dialects.exact_count() > 0)
             raise_at_contested(facts, raise);
         }},
    {.id = {2502},
     .slug = "dialect-fits-only",
     .stage = Stage::directory,
     .levels = {.spec = Severity::info,
                .hardened = Severity::info,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "the sizes of all tensors fit only {readings}",
     .why = "Offsets are the one evidence in a file of what its writer took the ids for.",
     .advice = kNeedsFork,
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && facts.dialects.exact_count() == 1) raise_at_contested(facts, raise);
         }},
    {.id = {2503},
     .slug = "dialect-ambiguous",
     .stage = Stage::directory,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::warning,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "the sizes cannot tell which of these it is: {readings}",
     .why = "The readings have equal sizes, so nothing in the file's geometry says which one decodes its "
            "weights.",
     .advice = "Ask its publisher which program wrote it, and use that one; no check of sizes can answer it.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && facts.dialects.exact_count() > 1) raise_at_contested(facts, raise);
         }},
    {.id = {2504},
     .slug = "dialect-fits-none",
     .stage = Stage::directory,
     .levels = {.spec = Severity::info,
                .hardened = Severity::info,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "the sizes fit no dialect known here",
     .why = "Either a fork that is not in the registry wrote the file, or its directory or its length is "
            "damaged.",
     .advice = "Fetch the file again; if it stays so, ask its publisher which program wrote it.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && !facts.dialects.mainline_knows && facts.dialects.exact_count() == 0 &&
               facts.dialects.first_with(ReadingFit::rows_short) == nullptr)
             raise_at_contested(facts, raise);
         }},
    {.id = {2505},
     .slug = "dialect-also-fits",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::info,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "mainline's {0:type} fits; so do the sizes of {other_readings}",
     .why =
         "The tensors are so small, or the layouts so alike, that sizes do not rule the other reading out.",
     .advice = "Nothing to do if the file comes from mainline's tools.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.dialects.asked && facts.dialects.contested_tensor && facts.mainline_explains &&
               facts.dialects.exact_count() > 1)
             raise_at_contested(facts, raise);
         }},
    {.id = {2506},
     .slug = "tensor-rows-without-headers",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "{0:type} has {1} bytes before each row; the place of this tensor is too small for them",
     .why = "Rows are read from their neighbours, and the last ones from the next tensor: it loads, and is "
            "wrong.",
     .advice = "Do not use it. Ask its publisher to write the file again with a current release of the fork.",
     .sources = "ik_llama.cpp's reader before its check of August 2026 loaded such files in silence.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.offset_problem == OffsetProblem::rows_short)
             raise(subject.entry.offset_field(), subject.entry.type_id,
                   subject.facts.type->layout->row_header_bytes);
         }},
    {.id = {2507},
     .slug = "rows-without-headers-suspected",
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the sizes would fit {short_readings} if the bytes before each row were left out",
     .why = "Rows are read from their neighbours, and the last ones from the next tensor: it loads, and is "
            "wrong.",
     .advice = "Do not use it. Ask its publisher to write the file again with a current release of the fork.",
     .sources = "ik_llama.cpp's reader before its check of August 2026 loaded such files in silence.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && facts.dialects.exact_count() == 0 &&
               facts.dialects.first_with(ReadingFit::rows_short) != nullptr)
             raise_at_contested(facts, raise);
         }},
    {.id = {2508},
     .slug = "weights-rotated",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the key {text} says that weights are stored in a rotated basis",
     .why =
         "The types are ordinary, so every reader loads the file; all but PrismML's fork compute nonsense.",
     .advice = "It needs PrismML's fork of llama.cpp. Check it here with `--dialect prism`.",
     .sources = "No stock reader looks at these keys.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (is_prism(facts)) return;
           const auto pair = std::find_if(
               facts.file.pairs.begin(), facts.file.pairs.end(),
               [](const MetadataPair& candidate) { return candidate.key.starts_with("prism.hadamard."); });
           if (pair != facts.file.pairs.end()) raise(pair->key_field());
         }},
    {.id = {2509},
     .slug = "dialect-hint-file-type",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::info,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "a hint, no proof: general.file_type is {0}{file_type_claims}",
     .why =
         "The number is as contested among dialects as the type ids are, so it never settles what they mean.",
     .advice = "Read it together with what the sizes say.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (is_unsettled(facts) && subject.pair.key == "general.file_type" &&
               subject.pair.is(ValueType::u32))
             raise(subject.pair.value_field(), subject.pair.bits);
         }},
    {.id = {2510},
     .slug = "dialect-hint-writer",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::info,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "a hint, no proof: {key} says {text}",
     .why = "Who quantised a file says which program may have written it; anybody can write anything there.",
     .advice = "Read it together with what the sizes say.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           constexpr std::array<std::string_view, 3> kKeys{"general.quantized_by", "general.architecture",
                                                           "quantize.imatrix.file"};
           if (is_unsettled(facts) && subject.pair.is(ValueType::string) &&
               std::find(kKeys.begin(), kKeys.end(), subject.pair.key) != kKeys.end())
             raise(subject.pair.text_field());
         }},
};

}  // namespace

std::span<const Rule> dialect_rules() { return kRows; }

}  // namespace ggufvet
