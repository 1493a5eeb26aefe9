// What a file says it is: its architecture and its kind, against what it holds.
#include <algorithm>
#include <array>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr KeyId kArchitectureKey = key_id("general.architecture");
constexpr KeyId kTypeKey = key_id("general.type");

[[nodiscard]] ByteRange architecture_field(const MeaningFacts& facts) {
  return value_place(*facts.pair(kArchitectureKey));
}

// What is judged by the architecture's name: not what has its own kind of name there.
[[nodiscard]] bool names_model_architecture(const MeaningFacts& facts) {
  return !facts.architecture_name.empty() && facts.role != FileRole::projector &&
         facts.role != FileRole::control_vector && facts.role != FileRole::importance_matrix;
}

[[nodiscard]] bool is_direction(std::string_view name) {
  constexpr std::string_view kHead = "direction.";
  if (!name.starts_with(kHead) || name.size() == kHead.size()) return false;
  return name.find_first_not_of("0123456789", kHead.size()) == std::string_view::npos;
}

// The place that says what a file is, or the count of pairs when nothing says it.
[[nodiscard]] ByteRange kind_place(const MeaningFacts& facts) {
  const MetadataPair* const type = facts.pair(kTypeKey);
  return type != nullptr ? value_place(*type) : facts.metadata_place();
}

[[nodiscard]] bool is_known_type(std::string_view type) {
  constexpr std::array<std::string_view, 6> kTypes{"model",   "adapter", "mmproj",
                                                   "imatrix", "vocab",   "dataset"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

constexpr Rule kRows[] = {
    {.id = {3001},
     .slug = "architecture-missing",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::info,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "the file speaks of a model, and general.architecture does not say which architecture",
     .why =
         "A loader looks up every other key under the architecture's name; without it it refuses the file.",
     .advice = "It cannot be run as a model as it is. Ask its publisher for a complete file.",
     .sources =
         "The format document requires the key in every file. A file without any sign of a model is a mere "
         "container of tensors, and is left alone here; so are importance matrices, which have none by "
         "design.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const bool of_model = facts.role != FileRole::container && facts.role != FileRole::later_shard &&
                                 facts.role != FileRole::importance_matrix;
           if (of_model && facts.pair(kArchitectureKey) == nullptr) raise(Header::pair_count_field);
         }},
    {.id = {3002},
     .slug = "architecture-unknown",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "no program that ggufvet knows calls an architecture {text}",
     .why = "It is newer than this release, of a private build, or a slip of the pen; a loader that does not "
            "know it "
            "refuses the file. What the architecture asks for was not checked.",
     .advice = "Check which program the publisher names, and use a recent release of it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (names_model_architecture(facts) && facts.architecture == nullptr &&
               find_known_architecture(facts.architecture_name) == nullptr)
             raise(value_place(*facts.pair(kArchitectureKey)));
         }},
    {.id = {3003},
     .slug = "architecture-not-checked",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "ggufvet has no rules for the architecture {text}: its hyper-parameters and tensors were not "
             "compared",
     .why = "What is not checked may be wrong.",
     .advice = "Nothing to do. The container, the standard keys and the tokenizer were checked as ever.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (names_model_architecture(facts) && facts.architecture == nullptr &&
               find_known_architecture(facts.architecture_name) != nullptr)
             raise(value_place(*facts.pair(kArchitectureKey)));
         }},
    {.id = {3004},
     .slug = "architecture-outside-alphabet",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::off,
                .publish = Severity::off,
                .ggml = Severity::off},
     .text = "the architecture {text} has characters other than a-z and 0-9",
     .why = "Tools that keep to the format document's alphabet do not take the name.",
     .advice = "Harmless: names in wide use, such as gpt-oss and nomic-bert, have them.",
     .sources = "The format document says [a-z0-9]+ only; mainline's own names have \"-\" and \"_\".",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto in_alphabet = [](char letter) {
             return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
           };
           const std::string_view name = facts.architecture_name;
           if (!std::all_of(name.begin(), name.end(), in_alphabet))
             raise(value_place(*facts.pair(kArchitectureKey)));
         }},
    {.id = {3005},
     .slug = "architecture-not-a-name",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "general.architecture is empty or not a string",
     .why = "Every loader reads it first, as a string, and gives up.",
     .advice = "It cannot be run as a model. Ask its publisher for a complete file.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const MetadataPair* const pair = facts.pair(kArchitectureKey);
           if (pair != nullptr && facts.architecture_name.empty()) raise(architecture_field(facts));
         }},
    {.id = {3010},
     .slug = "file-is-adapter",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::info,
                .ggml = Severity::off},
     .text = "this is an adapter (LoRA), not a model, although it bears a model's architecture",
     .why = "Opened as a model it fails with messages about missing keys and tensors.",
     .advice = "Load the model it was made for, and give this file with --lora.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::adapter) raise(kind_place(facts));
         }},
    {.id = {3011},
     .slug = "file-is-projector",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "this is a projector (mmproj): the part of a multimodal model that reads images or sound",
     .why = "Opened as a model it is refused: it has no language model in it.",
     .advice = "Load the language model it belongs to, and give this file with --mmproj.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::projector) raise(kind_place(facts));
         }},
    {.id = {3012},
     .slug = "file-is-importance-matrix",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "this is an importance matrix: data for quantising a model, not a model",
     .why = "Opened as a model it is refused.",
     .advice = "Give it to the quantiser with --imatrix.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::importance_matrix) raise(kind_place(facts));
         }},
    {.id = {3013},
     .slug = "file-is-control-vector",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "this is a control vector, not a model",
     .why = "Opened as a model it is refused.",
     .advice = "Load the model it was made for, and give this file with --control-vector.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::control_vector) raise(architecture_field(facts));
         }},
    {.id = {3014},
     .slug = "file-is-vocabulary",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "a vocabulary and no tensors: this is not a model",
     .why = "It can be used to test a tokenizer, and not to run anything.",
     .advice = "For a model, download the file with the weights.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::vocabulary && !facts.is_shard) raise(Header::tensor_count_field);
         }},
    {.id = {3015},
     .slug = "file-has-no-tensors",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "metadata of the architecture {text}, and neither tensors nor a vocabulary",
     .why = "There is nothing in it to load.",
     .advice = "Download the file with the weights.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::metadata && !facts.is_shard && !facts.architecture_name.empty())
             raise(value_place(*facts.pair(kArchitectureKey)));
         }},
    {.id = {3016},
     .slug = "general-type-unknown",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "general.type is {text}; known are model, adapter, mmproj, imatrix and vocab",
     .why = "Tools that sort files by their kind do not know where this one belongs.",
     .advice =
         "Harmless to loaders. A publisher writes one of the known kinds, or leaves the key out for a model.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const MetadataPair* const pair = facts.pair(kTypeKey);
           if (pair != nullptr && pair->is(ValueType::string) && !is_known_type(pair->text))
             raise(pair->text_field());
         }},
    {.id = {3017},
     .slug = "model-without-tensors",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "general.type says that this is a model, and there is no tensor in it",
     .why = "No loader can run it. Either the weights were lost, or it is a vocabulary under a wrong name.",
     .advice = "Download the file with the weights. Fine for a vocabulary: converters call it a model all "
               "the same.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.text(kTypeKey) == "model" && facts.file.tensors.empty() && !facts.is_shard)
             raise(value_place(*facts.pair(kTypeKey)));
         }},
    {.id = {3018},
     .slug = "general-type-contradicts-tensors",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "general.type is {text}, and the tensor \"token_embd.weight\" is that of a whole model",
     .why = "Tools that go by the kind hand the file to the wrong loader.",
     .advice = "Ask its publisher which it is.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const std::string_view type = facts.text(kTypeKey);
           const bool is_other =
               type == "adapter" || type == "mmproj" || type == "imatrix" || type == "vocab";
           if (is_other && facts.token_embedding != nullptr)
             raise.with_related(value_place(*facts.pair(kTypeKey)), facts.token_embedding->name_field());
         }},
    {.id = {3020},
     .slug = "adapter-type-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "an adapter whose adapter.type is not \"lora\"",
     .why = "Loaders know no other kind, and refuse the file.",
     .advice = "Convert the adapter again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::adapter || facts.text(key_id("adapter.type")) == "lora") return;
           const MetadataPair* const pair = facts.pair(key_id("adapter.type"));
           raise(pair != nullptr ? value_place(*pair) : facts.metadata_place());
         }},
    {.id = {3021},
     .slug = "adapter-alpha-missing",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "an adapter without adapter.lora.alpha: loaders take it as 0 and scale by 1",
     .why = "The adapter then works more strongly or more weakly than it was trained to.",
     .advice = "Convert the adapter again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::adapter && facts.pair(key_id("adapter.lora.alpha")) == nullptr)
             raise(facts.metadata_place());
         }},
    {.id = {3022},
     .slug = "adapter-half-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "an adapter of {0} tensors .lora_a and {1} tensors .lora_b; each needs its other half",
     .why =
         "The product of the two halves is what an adapter adds; with one of them loaders refuse the file.",
     .advice = "Download it again, or convert the adapter again.",
     .sources = "The halves are counted here, not matched by name.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::adapter || facts.is_shard) return;
           std::uint64_t first = 0;
           std::uint64_t second = 0;
           for (const TensorEntry& tensor : facts.file.tensors) {
             if (tensor.name.ends_with(".lora_a")) ++first;
             if (tensor.name.ends_with(".lora_b")) ++second;
           }
           if (first != second) raise(Header::tensor_count_field, first, second);
         }},
    {.id = {3023},
     .slug = "importance-matrix-incomplete",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "an importance matrix without the key {key:0}",
     .why = "The quantiser refuses it, or cannot tell how much data it rests on.",
     .advice = "Make it again with a current llama-imatrix.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::importance_matrix) return;
           for (const KeyId id :
                {key_id("imatrix.chunk_count"), key_id("imatrix.chunk_size"), key_id("imatrix.datasets")})
             if (facts.pair(id) == nullptr) raise(facts.metadata_place(), static_cast<std::uint64_t>(id));
         }},
    {.id = {3024},
     .slug = "control-vector-tensor-unknown",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "{text} is no tensor of a control vector: these are named direction.N",
     .why = "Loaders refuse the file.",
     .advice = "Make the control vector again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::control_vector) return;
           for (const TensorEntry& tensor : facts.file.tensors)
             if (!is_direction(tensor.name)) raise(tensor.name_field());
         }},
};

}  // namespace

std::span<const Rule> role_rules() { return kRows; }

}  // namespace ggufvet
