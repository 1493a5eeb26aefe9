// What files mean: the architecture table is sound, a small model of each architecture is in order, and one
// change to it is found.
#include <set>

#include "ggufvet/render/message.h"
#include "ggufvet/rules/key_ids.h"
#include "ggufvet/vet/small_models_test.h"
#include "ggufvet/vet/support_test.h"

namespace ggufvet {
namespace {

[[nodiscard]] Report vet_spec(const FileSpec& spec, Profile profile = Profile::hardened) {
  const auto file = build_file(spec);
  REQUIRE(file);
  return vet_bytes(file->bytes, options_for(profile));
}

[[nodiscard]] std::set<std::string> slugs_at_least(const Report& report, Severity severity) {
  std::set<std::string> slugs;
  for (const Finding& finding : report.findings)
    if (finding.severity >= severity) slugs.emplace(find_rule(finding.rule)->slug);
  return slugs;
}

[[nodiscard]] PairSpec& pair_of(FileSpec& spec, std::string_view key) {
  for (PairSpec& pair : spec.pairs)
    if (pair.key.bytes == key) return pair;
  FAIL("no pair " << key);
  return spec.pairs.front();
}

[[nodiscard]] FileSpec small(std::string_view name) {
  const Architecture* const architecture = find_architecture(name);
  REQUIRE(architecture != nullptr);
  return small_model(*architecture);
}

// The shards of a set and vocabularies: strings one after the other.
[[nodiscard]] ValueSpec texts(std::size_t count, const std::string& stem) {
  std::vector<ValueSpec> elements;
  for (std::size_t index = 0; index < count; ++index)
    elements.push_back(string_value(stem + std::to_string(index)));
  return array_value(ValueType::string, std::move(elements));
}

}  // namespace

TEST_CASE("rows of an architecture differ, and what stands instead of one is a row", "[meaning]") {
  for (const Architecture& architecture : architectures()) {
    INFO(architecture.name);
    std::set<std::pair<TensorArea, std::string_view>> names;
    for (std::size_t row = 0; row < architecture.row_count(); ++row)
      CHECK(names.emplace(architecture.row(row).area, architecture.row(row).name).second);
    for (std::size_t row = 0; row < architecture.row_count(); ++row) {
      const TensorRow& each = architecture.row(row);
      if (!each.instead.empty()) CHECK(names.contains({each.area, each.instead}));
    }
    CHECK(find_known_architecture(architecture.name) == nullptr);
    CHECK_FALSE(architecture.required_keys.empty());
  }
}

TEST_CASE("a small model of every architecture is in order", "[meaning]") {
  for (const Architecture& architecture : architectures()) {
    INFO(architecture.name);
    const FileSpec spec = small_model(architecture);
    CHECK(spec.tensors.size() > 3);
    CHECK(slugs_at_least(vet_spec(spec), Severity::info) == std::set<std::string>{});
  }
}

TEST_CASE("a model without one of its required tensors is refused, whichever it is", "[meaning]") {
  for (const Architecture& architecture : architectures()) {
    const FileSpec whole = small_model(architecture);
    for (std::size_t index = 0; index < whole.tensors.size(); ++index) {
      FileSpec spec = whole;
      spec.tensors.erase(spec.tensors.begin() + static_cast<std::ptrdiff_t>(index));
      INFO(architecture.name << " " << whole.tensors[index].name.bytes);
      CHECK(slugs_at_least(vet_spec(spec), Severity::error) == std::set<std::string>{"tensor-missing"});
    }
  }
}

TEST_CASE("a tensor that is one longer than its hyper-parameters say is refused", "[meaning]") {
  for (const Architecture& architecture : architectures()) {
    const FileSpec whole = small_model(architecture);
    for (std::size_t index = 0; index < whole.tensors.size(); ++index) {
      FileSpec spec = whole;
      // Shapes that no key determines: the state of rwkv7's receptance, the layer's own mixing vectors.
      if (spec.tensors[index].shape.size() == 1 && spec.tensors[index].shape[0] == 1) continue;
      ++spec.tensors[index].shape[0];
      INFO(architecture.name << " " << whole.tensors[index].name.bytes);
      CHECK(slugs_at_least(vet_spec(spec), Severity::error).contains("tensor-shape-disagrees"));
    }
  }
}

TEST_CASE("a missing required key is named for every architecture", "[meaning]") {
  for (const Architecture& architecture : architectures()) {
    for (const KeyId id : architecture.required_keys) {
      FileSpec spec = small_model(architecture);
      const std::string key = small_models::with_architecture(standard_key(id).pattern, architecture.name);
      std::erase_if(spec.pairs, [&key](const PairSpec& pair) { return pair.key.bytes == key; });
      INFO(key);
      CHECK(slugs_at_least(vet_spec(spec), Severity::error).contains("hyperparameter-missing"));
    }
  }
}

TEST_CASE("mainline's container reader ignores all meaning", "[meaning]") {
  FileSpec spec = small("llama");
  pair_of(spec, "llama.block_count").value = u32_value(0);
  pair_of(spec, "tokenizer.ggml.eos_token_id").value = u32_value(77);
  CHECK(vet_spec(spec, Profile::ggml).findings.empty());
  CHECK(vet_spec(spec).verdict == Verdict::reject);
}

TEST_CASE("an integer of any width is read where loaders may differ on its type", "[meaning]") {
  for (const ValueType type : {ValueType::u64, ValueType::i32, ValueType::u16, ValueType::i64}) {
    FileSpec spec = small("qwen2");
    pair_of(spec, "qwen2.block_count").value = number_value(type, 2);
    CHECK(slugs_at_least(vet_spec(spec), Severity::info) == std::set<std::string>{"key-type-tolerated"});
    pair_of(spec, "qwen2.block_count").value = number_value(type, 3);
    CHECK(slugs_at_least(vet_spec(spec), Severity::error) == std::set<std::string>{"layer-missing"});
  }
}

TEST_CASE("a later shard is not asked for what stands in the first", "[meaning]") {
  GgufBuilder builder;
  builder.pair("split.no", number_value(ValueType::u16, 1))
      .pair("split.count", number_value(ValueType::u16, 2))
      .pair("split.tensors.count", number_value(ValueType::i32, 9))
      .tensor("blk.0.attn_norm.weight", "F32", {8});
  const auto slugs = slugs_at_least(vet_bytes(builder.build().bytes), Severity::info);
  CHECK_FALSE(slugs.contains("architecture-missing"));
  CHECK_FALSE(slugs.contains("tensor-missing"));
}

TEST_CASE("standard keys are found by architecture, number and name", "[meaning]") {
  CHECK(find_standard_key("llama.block_count", "llama") == key_id("{arch}.block_count"));
  CHECK(find_standard_key("llama.block_count", "qwen2") == KeyId::none);
  CHECK(find_standard_key("llama.block_count", "") == KeyId::none);
  CHECK(find_standard_key("general.base_model.12.name", "x") == key_id("general.base_model.{id}.name"));
  CHECK(find_standard_key("general.base_model.count", "x") == key_id("general.base_model.count"));
  CHECK(find_standard_key("general.base_model..name", "x") == KeyId::none);
  CHECK(find_standard_key("general.base_model.1." + std::string(500, 'n'), "x") == KeyId::none);
  CHECK(find_standard_key("tokenizer.chat_template.tool_use", "x") ==
        key_id("tokenizer.chat_template.{name}"));
  CHECK(find_standard_key("a.2_dense_feat_in", "a") == key_id("{arch}.{dense}_feat_in"));
}

TEST_CASE("near misses are one edit away, and not the key itself", "[meaning]") {
  const KeyId wanted = key_id("{arch}.block_count");
  for (const char* const key :
       {"a.block_coun", "a.block_countt", "a.blocc_count", "a.blokc_count", "a.bloc_count"})
    CHECK(find_near_standard_key(key, "a") == wanted);
  CHECK(find_near_standard_key("a.blok_cont", "a") == KeyId::none);
  CHECK(find_near_standard_key("b.block_coun", "a") == KeyId::none);
  CHECK(find_near_standard_key("", "") == KeyId::none);
}

TEST_CASE("duplicates are found anywhere in a long vocabulary, and named", "[meaning]") {
  FileSpec spec = small("qwen2");
  ValueSpec tokens = texts(5000, "t");
  tokens.elements[4321] = string_value("t17");
  pair_of(spec, "tokenizer.ggml.tokens").value = tokens;
  const auto file = build_file(spec);
  REQUIRE(file);
  const Report report = vet_bytes(file->bytes);
  bool found = false;
  for (const Finding& finding : report.findings) {
    if (find_rule(finding.rule)->slug != "token-duplicate") continue;
    found = true;
    CHECK(finding.args[0] == 1);
    CHECK(finding.args[1] == 4321);
    CHECK(finding.where.size() == 3);
    CHECK(finding.related.size() == 3);
    CHECK(finding.related.begin < finding.where.begin);
  }
  CHECK(found);
}

TEST_CASE("of a long list of merges the form of every one is looked at", "[meaning]") {
  FileSpec spec = small("qwen2");
  std::vector<ValueSpec> merges(20000, string_value("a b"));
  merges[19998] = string_value("ab");
  pair_of(spec, "tokenizer.ggml.merges").value = array_value(ValueType::string, std::move(merges));
  CHECK(slugs_at_least(vet_spec(spec), Severity::info) == std::set<std::string>{"merge-without-separator"});
}

}  // namespace ggufvet
