// The tensors of a model against its architecture's table and its hyper-parameters.
#include <algorithm>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/model_sizes.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr KeyId kBlockCount = key_id("{arch}.block_count");

[[nodiscard]] bool is_model_in_table(const MeaningFacts& facts) {
  return facts.role == FileRole::model && facts.architecture != nullptr;
}

// What is missing can only be told of a file that holds the whole model.
[[nodiscard]] bool is_whole_model(const MeaningFacts& facts) {
  return is_model_in_table(facts) && !facts.is_shard;
}

[[nodiscard]] const LayerPresence* presence(const MeaningFacts& facts, TensorArea area, std::uint64_t layer) {
  const auto& layers = facts.layers[static_cast<std::size_t>(area)];
  return layer < layers.size() ? &layers[static_cast<std::size_t>(layer)] : nullptr;
}

// How many layers an area must have. The layers that predict further tokens stand behind the others and are
// not judged: their tensors differ.
[[nodiscard]] std::uint64_t layers_wanted(const MeaningFacts& facts, TensorArea area) {
  const std::uint64_t blocks = facts.layer_count();
  const bool halves = facts.architecture->encoder_decoder;
  switch (area) {
    case TensorArea::root:
      return 1;
    case TensorArea::block: {
      const std::uint64_t extra = facts.number(key_id("{arch}.nextn_predict_layers")).value_or(0);
      return halves ? 0 : blocks - std::min(extra, blocks);
    }
    case TensorArea::encoder:
      return halves ? blocks : 0;
    case TensorArea::decoder: {
      if (!halves || facts.architecture_name == "t5encoder") return 0;
      return std::min(facts.number(key_id("{arch}.decoder_block_count")).value_or(blocks), kLayersMax);
    }
  }
  return 0;
}

constexpr std::array kLayeredAreas{TensorArea::block, TensorArea::encoder, TensorArea::decoder};

[[nodiscard]] std::size_t row_of(const Architecture& architecture, std::string_view name, TensorArea area) {
  for (std::size_t row = 0; row < architecture.row_count(); ++row)
    if (architecture.row(row).name == name && architecture.row(row).area == area) return row;
  return TensorPlace::kNoRow;
}

// Calls visit(row, layer) for every tensor that the architecture demands and the file lacks. Layers of which
// nothing is there at all are left to layer-missing.
template <class Visit>
void for_each_missing(const MeaningFacts& facts, const Visit& visit) {
  ModelSizes sizes(facts);
  const Architecture& architecture = *facts.architecture;
  for (std::size_t row = 0; row < architecture.row_count(); ++row) {
    const TensorRow& tensor = architecture.row(row);
    if (tensor.need != Need::required) continue;
    const std::size_t instead =
        tensor.instead.empty() ? TensorPlace::kNoRow : row_of(architecture, tensor.instead, tensor.area);
    for (std::uint64_t layer = 0; layer < layers_wanted(facts, tensor.area); ++layer) {
      const LayerPresence* const there = presence(facts, tensor.area, layer);
      const bool nothing = there == nullptr || !there->any;
      if (nothing && tensor.area != TensorArea::root) continue;
      if (!nothing && (there->has(row) || there->has(instead))) continue;
      if (sizes.has(tensor.layers, layer).value_or(false)) visit(row, layer);
    }
  }
}

// Tensors that any architecture may have: scales beside quantised weights, and layers that predict further
// tokens.
[[nodiscard]] bool is_of_any_architecture(std::string_view name) {
  return name.ends_with(".scale") || name.ends_with(".input_scale") ||
         name.find(".nextn.") != std::string_view::npos;
}

[[nodiscard]] bool is_experts_tensor(std::string_view name) { return name.ends_with("_exps.weight"); }

// Dimensions that vocabulary-size-disagrees and expert-count-disagrees speak of.
[[nodiscard]] bool has_own_rule(const TensorRow& row, std::uint32_t axis) {
  const bool experts = row.shape[axis] == Size::experts && is_experts_tensor(row.name);
  return experts || (row.shape[axis] == Size::vocabulary && row.name == "token_embd.weight");
}

[[nodiscard]] bool has_full_attention(const MeaningFacts& facts) {
  constexpr KeyId kPattern = key_id("{arch}.attention.sliding_window_pattern");
  const MetadataPair* const pair = facts.pair(kPattern);
  if (pair == nullptr || pair->depth != 1) return false;
  for (std::uint64_t layer = 0; layer < std::min(pair->bits, kLayersMax); ++layer)
    if (facts.number_at(kPattern, layer) == 0) return true;
  return false;
}

constexpr std::string_view kDownload =
    "Download it again if it came in parts or was cut; else ask its publisher, or convert the model again.";

constexpr Rule kRows[] = {
    {.id = {3301},
     .slug = "layer-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{1} of {0} layers have no tensor at all, the first is layer {2}",
     .why = "Loaders refuse the model: a tensor that they ask for is not there.",
     .advice = kDownload,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto blocks = facts.number(kBlockCount);
           if (!is_whole_model(facts) || !blocks || *blocks > kLayersMax) return;
           for (const TensorArea area : kLayeredAreas) {
             const std::uint64_t wanted = layers_wanted(facts, area);
             std::uint64_t missing = 0;
             std::uint64_t first = 0;
             for (std::uint64_t layer = 0; layer < wanted; ++layer) {
               const LayerPresence* const there = presence(facts, area, layer);
               if (there != nullptr && there->any) continue;
               if (missing++ == 0) first = layer;
             }
             if (missing > 0) raise(facts.pair(kBlockCount)->value_field(), wanted, missing, first);
           }
         }},
    {.id = {3302},
     .slug = "layer-beyond-block-count",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the tensor {text} is of layer {0}, and the model has {1}",
     .why = "Loaders do not ask for it, count one tensor too many, and refuse the file.",
     .advice = "Convert the model again; the layer count is wrong, or layers of another model were mixed in.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_model_in_table(facts)) return;
           const auto blocks = facts.number(kBlockCount);
           if (!blocks || *blocks == 0) return;
           const std::uint64_t extra = facts.number(key_id("{arch}.nextn_predict_layers")).value_or(0);
           const std::uint64_t decoder = facts.number(key_id("{arch}.decoder_block_count")).value_or(0);
           const std::uint64_t room = std::max(*blocks, decoder);
           for (std::size_t index = 0; index < facts.places.size(); ++index) {
             const TensorPlace& place = facts.places[index];
             if (place.area == TensorArea::root || place.layer < room || place.layer - room < extra) continue;
             raise(facts.file.tensors[index].name_field(), place.layer, *blocks);
             return;  // one says it all
           }
         }},
    {.id = {3303},
     .slug = "tensor-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{layer_tensor}, which the architecture has, is not there{2:others}",
     .why = "Loaders refuse the model with \"missing tensor\".",
     .advice = kDownload,
     .sources = "What a release of mainline's loader lets be missing (a tied output, biases, split or joined "
                "projections) is not asked for.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_whole_model(facts)) return;
           // One finding for each kind of tensor.
           std::size_t current = TensorPlace::kNoRow;
           std::uint64_t first_layer = 0;
           std::uint64_t count = 0;
           const auto report = [&] {
             if (count > 0) raise(Header::tensor_count_field, current, first_layer, count - 1);
           };
           for_each_missing(facts, [&](std::size_t row, std::uint64_t layer) {
             if (row != current) {
               report();
               current = row;
               first_layer = layer;
               count = 0;
             }
             ++count;
           });
           report();
         }},
    {.id = {3304},
     .slug = "tensor-shape-disagrees",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{tensor:0} has {1} in dimension {3}; the hyper-parameters make it {2}",
     .why = "Loaders refuse the model, or compute with the wrong numbers.",
     .advice = "The metadata and the weights are not of the same model: download or convert it again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_model_in_table(facts)) return;
           ModelSizes sizes(facts);
           for (std::uint32_t index = 0; index < facts.places.size(); ++index) {
             const TensorPlace& place = facts.places[index];
             const TensorEntry& entry = facts.file.tensors[index];
             if (place.row == TensorPlace::kNoRow || place.layer >= kLayersMax) continue;
             const TensorRow& row = facts.architecture->row(place.row);
             // A layer's tensor that its kind of layer does not have is judged by no formula.
             if (!sizes.has(row.layers, place.layer).value_or(false)) continue;
             for (std::uint32_t axis = 0; axis < entry.shape.size(); ++axis) {
               const auto wanted = sizes.in_layer(row.shape[axis], place.layer);
               // A size of 0 is a fault of its own.
               if (!wanted || *wanted == 0 || *wanted == entry.shape[axis] || has_own_rule(row, axis))
                 continue;
               raise(axis < entry.rank ? entry.dimension_field(axis) : entry.rank_field(), index,
                     entry.shape[axis], *wanted, axis);
               break;
             }
           }
         }},
    {.id = {3305},
     .slug = "tensor-unexpected",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the tensor {text} is none of the architecture's{0:others}",
     .why = "Loaders that count tensors refuse the file; others leave it unread.",
     .advice =
         "Use the program that made the file, or a recent release of the loader: it may know the tensor.",
     .sources = "Newer loaders know more optional tensors than ggufvet's tables, so this is a note.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!is_model_in_table(facts)) return;
           Fault unexpected;
           for (std::size_t index = 0; index < facts.places.size(); ++index) {
             const TensorEntry& entry = facts.file.tensors[index];
             if (facts.places[index].row == TensorPlace::kNoRow && !is_of_any_architecture(entry.name))
               unexpected.note(index, entry.name_field());
           }
           if (unexpected) raise(unexpected.where, unexpected.count - 1);
         }},
    {.id = {3306},
     .slug = "expert-count-disagrees",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{tensor:0} holds {1} experts, and the metadata says {2}",
     .why = "A router that picks an expert beyond the last reads past the tensor.",
     .advice = "Download or convert the model again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto experts = facts.number(key_id("{arch}.expert_count"));
           if (facts.role != FileRole::model || !experts || *experts == 0) return;
           for (std::uint32_t index = 0; index < facts.file.tensors.size(); ++index) {
             const TensorEntry& entry = facts.file.tensors[index];
             if (!is_experts_tensor(entry.name) || entry.rank < 3 || entry.shape[2] == *experts) continue;
             raise(entry.dimension_field(2), index, entry.shape[2], *experts);
             return;
           }
         }},
    {.id = {3307},
     .slug = "rope-factors-missing",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "rope_freqs.weight is not there, and layers with full attention need it",
     .why =
         "Positions are then encoded otherwise than the model was trained with, or loaders refuse the file.",
     .advice = "Convert the model again with a current tool, or download a newer file.",
     .sources = "Mainline's loader of gemma4; early conversions lack the tensor.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role != FileRole::model || facts.is_shard || facts.architecture_name != "gemma4") return;
           const bool there =
               std::any_of(facts.file.tensors.begin(), facts.file.tensors.end(),
                           [](const TensorEntry& entry) { return entry.name == "rope_freqs.weight"; });
           if (!there && has_full_attention(facts)) raise(Header::tensor_count_field);
         }},
};

}  // namespace

std::span<const Rule> architecture_rules() { return kRows; }

}  // namespace ggufvet
