#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "ggufvet/base/assert.h"
#include "ggufvet/rules/model_sizes.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/small_models_test.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {
namespace small_models {

inline ValueSpec f32_value(float value) {
  return number_value(ValueType::f32, std::bit_cast<std::uint32_t>(value));
}

inline bool has_rows_for(const Architecture& architecture, LayerSet set) {
  for (std::size_t row = 0; row < architecture.row_count(); ++row)
    if (architecture.row(row).layers == set) return true;
  return false;
}

inline std::string with_architecture(std::string_view pattern, std::string_view architecture) {
  if (!pattern.starts_with(kArchitectureMark)) return std::string(pattern);
  return std::string(architecture) + std::string(pattern.substr(kArchitectureMark.size()));
}

// A value that a standard key may have.
inline ValueSpec plain_value(const StandardKey& key) {
  if (contains(key.scalars, static_cast<std::uint32_t>(ValueType::f32)))
    return f32_value(key.pattern.find("epsilon") != std::string_view::npos ? 1e-5F : 1.0F);
  if (contains(key.scalars, static_cast<std::uint32_t>(ValueType::boolean)))
    return number_value(ValueType::boolean, 1);
  if (key.scalars == 0)
    return array_value(ValueType::i32, std::vector<ValueSpec>(4, number_value(ValueType::i32, 1)));
  return u32_value(4);
}

struct Hyperparameter {
  std::string_view pattern;
  std::uint32_t value;
};

inline std::vector<Hyperparameter> hyperparameters(const Architecture& architecture) {
  const bool hybrid = architecture.mixture == MixtureLayers::hybrid;
  std::vector<Hyperparameter> list{{"{arch}.context_length", 64},
                                   {"{arch}.embedding_length", 16},
                                   {"{arch}.block_count", hybrid ? 4U : 2U},
                                   {"{arch}.feed_forward_length", 32},
                                   {"{arch}.attention.head_count", architecture.attention_free ? 0U : 4U}};
  if (!architecture.attention_free) list.push_back({"{arch}.attention.head_count_kv", 2});
  if (has_rows_for(architecture, LayerSet::mixture))
    list.insert(list.end(), {{"{arch}.expert_count", 4},
                             {"{arch}.expert_used_count", 2},
                             {"{arch}.expert_feed_forward_length", 8},
                             {"{arch}.expert_shared_count", 1},
                             {"{arch}.expert_shared_feed_forward_length", 8}});
  if (architecture.mixture == MixtureLayers::behind_leading_dense)
    list.insert(list.end(), {{"{arch}.leading_dense_block_count", 1},
                             {"{arch}.attention.key_length", 6},
                             {"{arch}.attention.value_length", 4},
                             {"{arch}.rope.dimension_count", 2}});
  if (architecture.name == "phi3") list.push_back({"{arch}.attention.sliding_window", 16});
  return list;
}

inline ValueSpec strings_value(std::initializer_list<const char*> texts) {
  std::vector<ValueSpec> elements;
  for (const char* const text : texts) elements.push_back(string_value(text));
  return array_value(ValueType::string, std::move(elements));
}

inline ValueSpec numbers_value(ValueType type, std::initializer_list<std::uint64_t> numbers) {
  std::vector<ValueSpec> elements;
  for (const std::uint64_t number : numbers) elements.push_back(number_value(type, number));
  return array_value(type, std::move(elements));
}

inline FileSpec metadata_of(const Architecture& architecture) {
  GgufBuilder builder;
  builder.pair("general.architecture", string_value(std::string(architecture.name)))
      .pair("general.type", string_value("model"))
      .pair("general.file_type", u32_value(0))
      .pair("general.quantization_version", u32_value(2));
  std::vector<std::string> written;
  for (const Hyperparameter& each : hyperparameters(architecture)) {
    written.push_back(with_architecture(each.pattern, architecture.name));
    builder.pair(written.back(), u32_value(each.value));
  }
  for (const KeyId id : architecture.required_keys) {
    const std::string key = with_architecture(standard_key(id).pattern, architecture.name);
    if (std::find(written.begin(), written.end(), key) == written.end())
      builder.pair(key, plain_value(standard_key(id)));
  }
  builder.pair("tokenizer.ggml.model", string_value("gpt2"))
      .pair("tokenizer.ggml.pre", string_value("gpt-2"))
      .pair("tokenizer.ggml.tokens", strings_value({"a", "b", "ab", "c", "<|end|>"}))
      .pair("tokenizer.ggml.token_type", numbers_value(ValueType::i32, {1, 1, 1, 1, 3}))
      .pair("tokenizer.ggml.merges", strings_value({"a b"}))
      .pair("tokenizer.ggml.bos_token_id", u32_value(4))
      .pair("tokenizer.ggml.eos_token_id", u32_value(4));
  return builder.spec();
}

inline std::string tensor_name(const TensorRow& row, std::uint64_t layer) {
  const std::string number = std::to_string(layer) + ".";
  switch (row.area) {
    case TensorArea::root:
      return std::string(row.name);
    case TensorArea::block:
      return "blk." + number + std::string(row.name);
    case TensorArea::encoder:
      return "enc.blk." + number + std::string(row.name);
    case TensorArea::decoder:
      return "dec.blk." + number + std::string(row.name);
  }
  return {};
}

inline void add_tensors(const MeaningFacts& facts, FileSpec& spec) {
  ModelSizes sizes(facts);
  for (std::size_t index = 0; index < facts.architecture->row_count(); ++index) {
    const TensorRow& row = facts.architecture->row(index);
    const std::uint64_t layers = row.area == TensorArea::root ? 1 : facts.layer_count();
    for (std::uint64_t layer = 0; row.need == Need::required && layer < layers; ++layer) {
      if (!sizes.has(row.layers, layer).value_or(false)) continue;
      TensorSpec tensor;
      tensor.name = tensor_name(row, layer);
      for (const Size size : row.shape) tensor.shape.push_back(sizes.in_layer(size, layer).value_or(1));
      while (tensor.shape.size() > 1 && tensor.shape.back() == 1) tensor.shape.pop_back();
      spec.tensors.push_back(std::move(tensor));  // of type 0, F32
    }
  }
}

}  // namespace small_models

inline FileSpec small_model(const Architecture& architecture) {
  FileSpec spec = small_models::metadata_of(architecture);
  const auto metadata = build_file(spec);
  MemorySource source(metadata->bytes);
  VetOptions options;
  const auto vetted = vet(source, options);
  GGUFVET_ASSERT(vetted->meaning && vetted->meaning->architecture == &architecture);
  small_models::add_tensors(*vetted->meaning, spec);
  return spec;
}

}  // namespace ggufvet
