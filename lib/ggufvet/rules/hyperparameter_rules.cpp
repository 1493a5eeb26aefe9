// Numbers that describe a model, against their ranges and against each other.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/model_sizes.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr KeyId kBlockCount = key_id("{arch}.block_count");
constexpr KeyId kEmbedding = key_id("{arch}.embedding_length");
constexpr KeyId kHeads = key_id("{arch}.attention.head_count");
constexpr KeyId kKvHeads = key_id("{arch}.attention.head_count_kv");
constexpr KeyId kExperts = key_id("{arch}.expert_count");
constexpr KeyId kExpertsUsed = key_id("{arch}.expert_used_count");
constexpr KeyId kRopeDimension = key_id("{arch}.rope.dimension_count");

constexpr std::uint64_t kInt32Max = 0x7FFFFFFF;
// Mainline's LLAMA_MAX_EXPERTS; older releases had 60, 128, 160, 256 and 384.
constexpr std::uint64_t kExpertsMax = 512;

// Hyper-parameters are judged where a model's loader would read them.
[[nodiscard]] bool describes_model(const MeaningFacts& facts) {
  return facts.role == FileRole::model || facts.role == FileRole::vocabulary ||
         facts.role == FileRole::metadata;
}

[[nodiscard]] bool has_attention(const MeaningFacts& facts) {
  return describes_model(facts) && facts.architecture != nullptr && !facts.architecture->attention_free;
}

[[nodiscard]] ByteRange value_of(const MeaningFacts& facts, KeyId id) { return value_place(*facts.pair(id)); }

// Each of a key's values by layer, or its one value; at most kLayersMax.
template <class Visit>
void for_each_layer_value(const MeaningFacts& facts, KeyId id, const Visit& visit) {
  const MetadataPair* const pair = facts.pair(id);
  if (pair == nullptr) return;
  const std::uint64_t count = pair->depth == 0 ? 1 : std::min(pair->bits, kLayersMax);
  for (std::uint64_t layer = 0; layer < count; ++layer)
    if (const auto value = facts.number_at(id, layer))
      if (!visit(layer, *value)) return;
}

constexpr std::array kCounts{kBlockCount,
                             kEmbedding,
                             kHeads,
                             kKvHeads,
                             kExperts,
                             kExpertsUsed,
                             kRopeDimension,
                             key_id("{arch}.context_length"),
                             key_id("{arch}.feed_forward_length"),
                             key_id("{arch}.expert_feed_forward_length"),
                             key_id("{arch}.attention.key_length"),
                             key_id("{arch}.attention.value_length"),
                             key_id("{arch}.attention.sliding_window"),
                             key_id("{arch}.vocab_size"),
                             key_id("{arch}.ssm.conv_kernel"),
                             key_id("{arch}.ssm.inner_size"),
                             key_id("{arch}.ssm.state_size"),
                             key_id("{arch}.ssm.time_step_rank"),
                             key_id("{arch}.wkv.head_size")};

// Counts that divide, or that nothing is left of when they are 0.
constexpr std::array kNonzero{kEmbedding,
                              key_id("{arch}.attention.key_length"),
                              key_id("{arch}.attention.value_length"),
                              key_id("{arch}.ssm.conv_kernel"),
                              key_id("{arch}.ssm.inner_size"),
                              key_id("{arch}.ssm.time_step_rank"),
                              key_id("{arch}.wkv.head_size")};

constexpr std::array kEpsilons{key_id("{arch}.attention.layer_norm_epsilon"),
                               key_id("{arch}.attention.layer_norm_rms_epsilon"),
                               key_id("{arch}.attention.group_norm_epsilon")};

constexpr std::string_view kAsk = "Ask its publisher for a correct file, or convert the model again.";

constexpr Rule kRows[] = {
    {.id = {3201},
     .slug = "hyperparameter-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is not there; no loader of this architecture does without it",
     .why = "Loading stops at once with \"key not found in model\".",
     .advice = "The file is incomplete or was made by an early converter: convert the model again.",
     .sources =
         "The list for each architecture holds what every release of mainline's loader requires. What later "
         "releases require is hyperparameter-missing-today.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::model || facts.architecture == nullptr) return;
           for (const KeyId id : facts.architecture->required_keys)
             if (facts.pair(id) == nullptr) raise(facts.metadata_place(), static_cast<std::uint64_t>(id));
         }},
    {.id = {3202},
     .slug = "hyperparameter-missing-in-metadata",
     .stage = Stage::meaning,
     .levels = kPublishWarning,
     .text = "{key:0}, which every loader of this architecture needs, is not there{1:others}",
     .why =
         "The file has no tensors, so it is not loaded as a model; as a description of one it is incomplete.",
     .advice = "Nothing to do for a test of a tokenizer. For a model, download the file with the weights.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const bool no_tensors = facts.role == FileRole::vocabulary || facts.role == FileRole::metadata;
           if (!no_tensors || facts.architecture == nullptr) return;
           std::uint64_t count = 0;
           KeyId first = KeyId::none;
           for (const KeyId id : facts.architecture->required_keys)
             if (facts.pair(id) == nullptr && count++ == 0) first = id;
           if (count > 0) raise(facts.metadata_place(), static_cast<std::uint64_t>(first), count - 1);
         }},
    {.id = {3203},
     .slug = "hyperparameter-missing-today",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:0} is not there; loaders require it since the first files of this architecture were made",
     .why = "Some releases refuse such a file, others fall back to a value that may be wrong.",
     .advice = "Convert the model again with a current tool, or download a newer file.",
     .sources = "Releases of mainline from mid-2024 demanded the sliding window of phi3; files converted "
                "before lack it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kWindow = key_id("{arch}.attention.sliding_window");
           const bool describes = facts.role == FileRole::model || facts.role == FileRole::metadata;
           if (describes && facts.architecture_name == "phi3" && facts.pair(kWindow) == nullptr)
             raise(facts.metadata_place(), static_cast<std::uint64_t>(kWindow));
         }},
    {.id = {3204},
     .slug = "hyperparameter-required-by-document",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::off,
                .publish = Severity::off,
                .ggml = Severity::off},
     .text = "{key:0} is not there; the format document requires it of every model of this architecture",
     .why = "A reader written from the document alone does not find it.",
     .advice = "Harmless to the usual loaders.",
     .sources =
         "The format document lists required keys for ten architectures; loaders do without some of them.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           struct Row {
             std::string_view architecture;
             KeyId key;
           };
           static constexpr Row kDocumentRows[] = {
#include "ggufvet/rules/document_keys.inc"
           };
           if (facts.role != FileRole::model) return;
           for (const Row& row : kDocumentRows)
             if (row.architecture == facts.architecture_name && facts.pair(row.key) == nullptr)
               raise(facts.metadata_place(), static_cast<std::uint64_t>(row.key));
         }},
    {.id = {3210},
     .slug = "block-count-zero",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is 0: a model without layers",
     .why = "Loaders divide by it or index the layer before the first.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (describes_model(facts) && facts.number(kBlockCount) == 0)
             raise(value_of(facts, kBlockCount), static_cast<std::uint64_t>(kBlockCount));
         }},
    {.id = {3211},
     .slug = "block-count-too-large",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:2} is {0}; loaders have room for {1} layers",
     .why = "Per-layer arrays of a fixed size are written past their end by readers that do not look.",
     .advice = "Do not load it: no model has as many layers.",
     .sources = "Mainline's LLAMA_MAX_LAYERS is 512; releases before the check wrote past their arrays.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for (const KeyId id : {kBlockCount, key_id("{arch}.decoder_block_count")}) {
             const auto count = facts.number(id);
             if (describes_model(facts) && count && *count > kLayersMax)
               raise(value_of(facts, id), *count, kLayersMax, static_cast<std::uint64_t>(id));
           }
         }},
    {.id = {3212},
     .slug = "nested-block-count-too-large",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:2} is {0}, more than the {1} layers of the model",
     .why = "Loaders fill arrays that are as long as the main count.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto blocks = facts.number(kBlockCount);
           if (!blocks) return;
           for (const KeyId id :
                {key_id("{arch}.posnet.block_count"), key_id("{arch}.convnext.block_count"),
                 key_id("{arch}.leading_dense_block_count"), key_id("{arch}.nextn_predict_layers")}) {
             const auto nested = facts.number(id);
             if (nested && *nested > *blocks)
               raise(value_of(facts, id), *nested, *blocks, static_cast<std::uint64_t>(id));
           }
         }},
    {.id = {3213},
     .slug = "hyperparameter-zero",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is 0",
     .why = "Sizes are computed by multiplying and dividing by it.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!describes_model(facts) || facts.architecture == nullptr) return;
           for (const KeyId id : kNonzero)
             if (facts.number(id) == 0) raise(value_of(facts, id), static_cast<std::uint64_t>(id));
         }},
    {.id = {3214},
     .slug = "hyperparameter-absurd",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:1} is {0:hex} ({0}): negative, or more than 31 bits",
     .why = "Loaders hold it in 32 bits; what is left over is another number.",
     .advice = "Do not load it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!describes_model(facts)) return;
           for (const KeyId id : kCounts)
             for_each_layer_value(facts, id, [&](std::uint64_t, std::uint64_t value) {
               if (value <= kInt32Max) return true;
               raise(value_of(facts, id), value, static_cast<std::uint64_t>(id));
               return false;
             });
         }},
    {.id = {3215},
     .slug = "context-length-zero",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:0} is 0",
     .why = "Programs that take the model's own context length start with none.",
     .advice = "Give the context length by hand, or ask for a correct file.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kContext = key_id("{arch}.context_length");
           const bool is_text_model = facts.architecture != nullptr && facts.role == FileRole::model;
           if (is_text_model && facts.number(kContext) == 0)
             raise(value_of(facts, kContext), static_cast<std::uint64_t>(kContext));
         }},
    {.id = {3220},
     .slug = "head-count-zero",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is 0 for the whole model, whose architecture has attention in every layer",
     .why = "The size of a head is computed by dividing by it.",
     .advice = "Do not load it: readers that do not look crash.",
     .sources = "Of a per-layer array zeros are in order: hybrids mark layers without attention so.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!has_attention(facts)) return;
           for (const KeyId id : {kHeads, kKvHeads}) {
             const MetadataPair* const pair = facts.pair(id);
             if (pair != nullptr && pair->depth == 0 && facts.number(id) == 0)
               raise(value_of(facts, id), static_cast<std::uint64_t>(id));
           }
         }},
    {.id = {3221},
     .slug = "embedding-not-divided-by-heads",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "an embedding of {0} cannot be divided among {1} heads, and no key length is given",
     .why = "The head size is rounded down, and no tensor has the shapes that follow from it.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto embedding = facts.number(kEmbedding);
           if (!has_attention(facts) || !embedding ||
               facts.pair(key_id("{arch}.attention.key_length")) != nullptr)
             return;
           for_each_layer_value(facts, kHeads, [&](std::uint64_t, std::uint64_t heads) {
             if (heads == 0 || *embedding % heads == 0) return true;
             raise(value_of(facts, kHeads), *embedding, heads);
             return false;
           });
         }},
    {.id = {3222},
     .slug = "kv-heads-do-not-divide-heads",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{0} heads cannot share {1} heads of keys and values evenly (layer {2})",
     .why = "Each head of keys serves a whole number of query heads; with a rest the attention kernels stop.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!has_attention(facts) || facts.pair(kKvHeads) == nullptr) return;
           for (std::uint64_t layer = 0; layer < std::max<std::uint64_t>(facts.layer_count(), 1); ++layer) {
             const auto heads = head_count(facts, layer);
             const auto shared = kv_head_count(facts, layer);
             if (!heads || !shared || *heads == 0 || *shared == 0 || *heads % *shared == 0) continue;
             raise(value_of(facts, kKvHeads), *heads, *shared, layer);
             return;
           }
         }},
    {.id = {3223},
     .slug = "rope-dimension-impossible",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{0} dimensions are rotated, of heads of {1}",
     .why = "Rotation works on pairs inside a head: the number must be even and at most the head's size.",
     .advice = kAsk,
     .sources = "Mainline refuses any number but the head size for llama and falcon.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto rotated = facts.number(kRopeDimension);
           if (!has_attention(facts) || !rotated) return;
           const auto head = key_head_size(facts, 0);
           const bool odd = *rotated % 2 != 0;
           const bool too_many = head && *head != 0 && *rotated > *head;
           const bool not_whole =
               facts.architecture->rope_is_whole_head && head && *head != 0 && *rotated != *head;
           if (odd || too_many || not_whole)
             raise(value_of(facts, kRopeDimension), *rotated, head.value_or(0));
         }},
    {.id = {3224},
     .slug = "rope-sections-too-large",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the rope sections add up to {0}, more than half of the {1} rotated dimensions",
     .why = "A section beyond the rotated part has no effect, or reads past it.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kSections = key_id("{arch}.rope.dimension_sections");
           const auto rotated = facts.number(kRopeDimension);
           if (!rotated || *rotated > kInt32Max) return;
           std::uint64_t sum = 0;
           for_each_layer_value(facts, kSections, [&sum](std::uint64_t, std::uint64_t section) {
             sum += std::min(section, kInt32Max);
             return true;
           });
           if (sum > *rotated / 2) raise(value_of(facts, kSections), sum, *rotated);
         }},
    {.id = {3225},
     .slug = "rope-scaling-type-unknown",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the rope scaling {text} is none of none, linear, yarn and longrope",
     .why = "Mainline stops at an assertion.",
     .advice = "Convert the model again: early files of phi3 call longrope \"su\".",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr std::array<std::string_view, 4> kTypes{"none", "linear", "yarn", "longrope"};
           const MetadataPair* const pair = facts.pair(key_id("{arch}.rope.scaling.type"));
           if (pair != nullptr && pair->is(ValueType::string) && describes_model(facts) &&
               std::find(kTypes.begin(), kTypes.end(), pair->text) == kTypes.end())
             raise(pair->text_field());
         }},
    {.id = {3230},
     .slug = "epsilon-out-of-range",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:1} is {0:real}; it is a small positive number, 1e-5 or so",
     .why = "It keeps a division from zero. A large one flattens every layer's output.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!describes_model(facts) || facts.architecture == nullptr) return;
           for (const KeyId id : kEpsilons) {
             const auto value = facts.real(id);
             if (value && std::isfinite(*value) && (*value < 0 || *value >= 0.1))
               raise(value_of(facts, id), std::bit_cast<std::uint64_t>(*value),
                     static_cast<std::uint64_t>(id));
           }
         }},
    {.id = {3231},
     .slug = "rope-base-out-of-range",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:1} is {0:real}; it must be greater than 0",
     .why = "Angles are powers of it.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kBase = key_id("{arch}.rope.freq_base");
           const auto value = facts.real(kBase);
           if (describes_model(facts) && value && std::isfinite(*value) && *value <= 0)
             raise(value_of(facts, kBase), std::bit_cast<std::uint64_t>(*value),
                   static_cast<std::uint64_t>(kBase));
         }},
    {.id = {3240},
     .slug = "experts-used-impossible",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{1} experts are used of {0} that there are",
     .why = "A router picks some of the experts: at least one, and no more than there are.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto experts = facts.number(kExperts);
           const auto used = facts.number(kExpertsUsed);
           if (!describes_model(facts) || !used) return;
           const std::uint64_t count = experts.value_or(0);
           if (*used > count || (*used == 0 && count > 0)) raise(value_of(facts, kExpertsUsed), count, *used);
         }},
    {.id = {3241},
     .slug = "experts-above-older-limits",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "{0} experts; loaders up to 2026 had room for {1}",
     .why = "An older loader refuses the file.",
     .advice = "Use a recent release of the loader.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto experts = facts.number(kExperts);
           if (describes_model(facts) && experts && *experts > kExpertsMax && *experts <= kInt32Max)
             raise(value_of(facts, kExperts), *experts, kExpertsMax);
         }},
};

}  // namespace

std::span<const Rule> hyperparameter_rules() { return kRows; }

}  // namespace ggufvet
