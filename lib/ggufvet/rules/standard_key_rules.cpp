// Standard keys by their table: value types, lengths of arrays, names that are nearly right.
#include <algorithm>
#include <cmath>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

// How a value's type stands to what its key must hold.
enum class Fit : std::uint8_t { right, tolerated, wrong };

[[nodiscard]] Fit fit_of(const StandardKey& key, const MetadataPair& pair) {
  if (pair.depth > 1) return Fit::right;  // array-nested speaks of it
  const bool array = pair.depth == 1;
  const std::uint32_t type = array ? pair.element_type_id : pair.type_id;
  if (contains(array ? key.elements : key.scalars, type)) return Fit::right;
  return contains(array ? key.tolerated_elements : key.tolerated_scalars, type) ? Fit::tolerated : Fit::wrong;
}

// Keys whose types other rules judge: the alignment, the architecture's name, split.*.
[[nodiscard]] bool judged_elsewhere(const MetadataPair& pair) {
  return pair.key == kAlignmentKey || pair.key == "general.architecture" || pair.key.starts_with("split.");
}

// Calls visit(id, row, pair) for every pair that is a standard key.
template <class Visit>
void for_each_standard(const MeaningFacts& facts, const Visit& visit) {
  for (std::size_t index = 0; index < facts.file.pairs.size(); ++index) {
    const KeyId id = facts.key_of_pair[index];
    if (id != KeyId::none && !judged_elsewhere(facts.file.pairs[index]))
      visit(id, standard_key(id), facts.file.pairs[index]);
  }
}

[[nodiscard]] ByteRange type_place(const MetadataPair& pair) {
  return pair.depth == 0 ? pair.type_field() : pair.element_type_field();
}

[[nodiscard]] std::uint64_t type_number(const MetadataPair& pair) {
  return pair.depth == 0 ? pair.type_id : pair.element_type_id;
}

// An array where a scalar belongs, or the other way round.
[[nodiscard]] bool is_other_shape(const StandardKey& key, const MetadataPair& pair) {
  return pair.depth == 0 ? key.scalars == 0 : key.elements == 0 && key.tolerated_elements == 0;
}

// Loaders stop at a key that they read and that has another kind of value; the others only describe.
void raise_wrong_types(const MeaningFacts& facts, const Raise& raise, bool read_by_loaders, bool arrays) {
  for_each_standard(facts, [&](KeyId id, const StandardKey& key, const MetadataPair& pair) {
    const bool of_array = pair.depth > 0 || key.scalars == 0;
    if (key.read_by_loaders == read_by_loaders && of_array == arrays && fit_of(key, pair) == Fit::wrong)
      raise(is_other_shape(key, pair) ? pair.type_field() : type_place(pair),
            is_other_shape(key, pair) ? pair.type_id : type_number(pair), static_cast<std::uint64_t>(id));
  });
}

[[nodiscard]] bool length_fits(ElementCount wanted, std::uint64_t count) {
  switch (wanted) {
    case ElementCount::even:
      return count % 2 == 0;
    case ElementCount::three:
      return count == 3;
    case ElementCount::four:
      return count == 4;
    default:
      return true;  // judged by rules that know how many layers and tokens there are
  }
}

[[nodiscard]] bool is_layer_count(const MeaningFacts& facts, std::uint64_t count) {
  const auto blocks = facts.number(key_id("{arch}.block_count"));
  return !blocks || count == *blocks || facts.number(key_id("{arch}.decoder_block_count")) == count;
}

constexpr std::string_view kAsk = "Ask its publisher for a file written by a current converter.";
// Unknown keys that are compared with all standard ones; each costs about a microsecond.
constexpr std::size_t kNearMissesMax = 1000;

constexpr Rule kRows[] = {
    {.id = {3101},
     .slug = "key-wrong-type",
     .stage = Stage::meaning,
     .levels = kLoadAndSpecError,
     .text = "{key:1} has a value of type {0:value_type}; it holds {accepts:1}",
     .why = "Loaders that ask for the type refuse the file; loaders that do not ask read another value.",
     .advice = kAsk,
     .sources = "Mainline's loader demands the exact type of every key it reads. What some reader takes all "
                "the same "
                "is key-type-tolerated.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_wrong_types(facts, raise, true, false); }},
    {.id = {3102},
     .slug = "key-array-wrong-type",
     .stage = Stage::meaning,
     .levels = kLoadAndSpecError,
     .text = "{key:1} has values of type {0:value_type}; it holds {accepts:1}",
     .why = "Readers step through the array by the size they expect: past its end when the elements are "
            "narrower.",
     .advice = kAsk,
     .sources = "Arrays of another element type that some reader takes are key-type-tolerated.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_wrong_types(facts, raise, true, true); }},
    {.id = {3103},
     .slug = "key-type-tolerated",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text =
         "{key:1} has type {0:value_type}; it holds {accepts:1}. Some readers take it, some refuse the file",
     .why = "Files like this are in wide use and load in some programs; mainline's typed look-ups refuse "
            "others.",
     .advice = "Try it. If the loader refuses the key, ask for a file written by a current converter.",
     .sources =
         "The format document recommends u64 for counts and that readers take u32 as well; mainline writes "
         "and "
         "reads u32. Scores of 4-byte integers are in files of the Mistral family and loaded by mainline.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for_each_standard(facts, [&raise](KeyId id, const StandardKey& key, const MetadataPair& pair) {
             if (fit_of(key, pair) == Fit::tolerated)
               raise(type_place(pair), type_number(pair), static_cast<std::uint64_t>(id));
           });
         }},
    {.id = {3104},
     .slug = "describing-key-wrong-type",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::info,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "{key:1} has type {0:value_type}; it holds {accepts:1}",
     .why = "No loader reads it; tools that show or index files do, and show something else or stop.",
     .advice = "Harmless to run. A publisher writes the key with the right type.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           raise_wrong_types(facts, raise, false, false);
           raise_wrong_types(facts, raise, false, true);
         }},
    {.id = {3105},
     .slug = "key-array-wrong-length",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:1} has {0} values",
     .why = "Its readers take a fixed number: three of means and deviations, four of rope sections, pairs of "
            "pinpoints. "
            "They refuse another length or read past the end.",
     .advice = kAsk,
     .sources = "Ollama writes three rope sections; mainline refuses them and takes four.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for_each_standard(facts, [&raise](KeyId id, const StandardKey& key, const MetadataPair& pair) {
             if (pair.depth == 1 && fit_of(key, pair) != Fit::wrong && !length_fits(key.count, pair.bits))
               raise(pair.count_field(), pair.bits, static_cast<std::uint64_t>(id));
           });
         }},
    {.id = {3106},
     .slug = "layer-array-wrong-length",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:1} has {0} values for {2} layers",
     .why = "There must be one for each layer: loaders refuse the file, or read past the end.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for_each_standard(facts, [&](KeyId id, const StandardKey& key, const MetadataPair& pair) {
             if (pair.depth == 1 && key.count == ElementCount::layers && !is_layer_count(facts, pair.bits))
               raise(pair.count_field(), pair.bits, static_cast<std::uint64_t>(id),
                     facts.number(key_id("{arch}.block_count")).value_or(0));
           });
         }},
    {.id = {3107},
     .slug = "key-not-finite",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:0} is not a finite number",
     .why = "It spreads: every value computed from it is not a number either.",
     .advice = "Do not use the file; ask its publisher for a correct one.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for_each_standard(facts, [&](KeyId id, const StandardKey&, const MetadataPair& pair) {
             const bool first = facts.pair(id) == &pair;
             const auto value = first ? facts.real(id) : std::nullopt;
             if (value && !std::isfinite(*value)) raise(pair.value_field(), static_cast<std::uint64_t>(id));
           });
         }},
    {.id = {3108},
     .slug = "key-near-miss",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "the key {text} is one letter away from {key:0}, which is not there",
     .why = "If it is a slip of the pen, no reader finds the value.",
     .advice = "Ignore it if the key is meant; else ask the publisher to rename it.",
     .sources = "The first thousand keys that are not standard are compared.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           std::size_t compared = 0;
           for (std::size_t index = 0; index < facts.file.pairs.size() && compared < kNearMissesMax;
                ++index) {
             if (facts.key_of_pair[index] != KeyId::none) continue;
             ++compared;
             const MetadataPair& pair = facts.file.pairs[index];
             const KeyId near = find_near_standard_key(pair.key, facts.architecture_name);
             if (near != KeyId::none && facts.pair(near) == nullptr)
               raise(pair.key_field(), static_cast<std::uint64_t>(near));
           }
         }},
    {.id = {3109},
     .slug = "key-of-other-architecture",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text =
         "the key {text} is that of another architecture than the file's, and the file's own is not there",
     .why = "Loaders look keys up under the name in general.architecture; this value is not found.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.architecture == nullptr || facts.role == FileRole::adapter) return;
           for (std::size_t index = 0; index < facts.file.pairs.size(); ++index) {
             const std::string_view key = facts.file.pairs[index].key;
             if (facts.key_of_pair[index] != KeyId::none || !key.ends_with(".block_count")) continue;
             const std::string_view name = key.substr(0, key.find('.'));
             const bool is_other =
                 find_architecture(name) != nullptr || find_known_architecture(name) != nullptr;
             if (is_other && facts.pair(key_id("{arch}.block_count")) == nullptr)
               raise(facts.file.pairs[index].key_field());
           }
         }},
    {.id = {3110},
     .slug = "key-superseded",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "{key:0} was replaced by another key, which is not there",
     .why = "Current loaders look for the newer key only, and use a default instead of this value.",
     .advice = "Mostly harmless. A publisher converts the model again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for_each_standard(facts, [&](KeyId id, const StandardKey& key, const MetadataPair& pair) {
             if (key.successor.empty() || facts.pair(id) != &pair) return;  // the first of equal keys
             const bool has_successor =
                 std::any_of(facts.key_of_pair.begin(), facts.key_of_pair.end(), [&key](KeyId other) {
                   return other != KeyId::none && standard_key(other).pattern == key.successor;
                 });
             if (!has_successor) raise(pair.key_field(), static_cast<std::uint64_t>(id));
           });
         }},
};

}  // namespace

std::span<const Rule> standard_key_rules() { return kRows; }

}  // namespace ggufvet
