// Projectors: files of general.architecture clip, which hold the part of a multimodal model that reads images
// or sound.
#include <algorithm>
#include <array>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr std::array kTypeKeys{key_id("clip.projector_type"), key_id("clip.vision.projector_type"),
                               key_id("clip.audio.projector_type")};
constexpr KeyId kLegacy = key_id("clip.has_llava_projector");

constexpr std::string_view kTypes[] = {
#include "ggufvet/rules/projector_types.inc"
};

[[nodiscard]] bool is_projector(const MeaningFacts& facts) {
  return facts.role == FileRole::projector && facts.architecture_name == "clip";
}

[[nodiscard]] bool names_type(const MeaningFacts& facts) {
  return std::any_of(kTypeKeys.begin(), kTypeKeys.end(),
                     [&facts](KeyId id) { return facts.pair(id) != nullptr; });
}

[[nodiscard]] bool is_known_type(std::string_view type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

constexpr Rule kRows[] = {
    {.id = {3501},
     .slug = "projector-type-missing",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "a projector that does not say which kind it is: clip.projector_type is not there",
     .why =
         "Loaders take it for the first kind there was, and fail or see nothing in images if it is another.",
     .advice = "Convert the projector again with a current tool, or use the program that came with it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (is_projector(facts) && !names_type(facts) && facts.pair(kLegacy) == nullptr)
             raise(facts.metadata_place());
         }},
    {.id = {3502},
     .slug = "projector-legacy",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "an early LLaVA projector: clip.has_llava_projector, and no clip.projector_type",
     .why = "Newer loaders drop such files one after the other.",
     .advice = "Convert the projector again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (is_projector(facts) && !names_type(facts) && facts.pair(kLegacy) != nullptr)
             raise(facts.pair(kLegacy)->key_field());
         }},
    {.id = {3503},
     .slug = "projector-type-unknown",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the projector kind {text} is none that ggufvet knows",
     .why = "A loader that does not know it refuses the file.",
     .advice = "Use a recent release of the loader, or the program that the publisher names.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_projector(facts)) return;
           for (const KeyId id : kTypeKeys) {
             const MetadataPair* const pair = facts.pair(id);
             if (pair != nullptr && pair->is(ValueType::string) && !is_known_type(pair->text))
               raise(pair->text_field());
           }
         }},
    {.id = {3504},
     .slug = "projector-head-count-zero",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "{key:0} is 0",
     .why = "In order for kinds of projector that have no attention; readers that divide by it crash.",
     .advice = "Use the program that the publisher names.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_projector(facts)) return;
           for (const KeyId id :
                {key_id("clip.vision.attention.head_count"), key_id("clip.audio.attention.head_count")})
             if (facts.number(id) == 0) raise(value_place(*facts.pair(id)), static_cast<std::uint64_t>(id));
         }},
    {.id = {3505},
     .slug = "projector-size-zero",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is 0",
     .why = "The image is divided by it.",
     .advice = "Do not load it; convert the projector again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_projector(facts)) return;
           for (const KeyId id : {key_id("clip.vision.patch_size"), key_id("clip.vision.image_size"),
                                  key_id("clip.vision.embedding_length")})
             if (facts.number(id) == 0) raise(value_place(*facts.pair(id)), static_cast<std::uint64_t>(id));
         }},
};

}  // namespace

std::span<const Rule> projector_rules() { return kRows; }

}  // namespace ggufvet
