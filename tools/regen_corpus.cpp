// Blobs and the manifest: what another implementation needs to run the corpus without our tools.
#include <cstdio>
#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/type_registry.h"
#include "regen.h"

namespace ggufvet::regen {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string hash_of(const Bytes& bytes) {
  std::array<char, 17> text{};
  const auto hash = static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size()));
  static_cast<void>(std::snprintf(text.data(), text.size(), "%016llx", hash));
  return text.data();
}

// y_: must be accepted, n_: must be rejected, i_: documents or readers disagree.
[[nodiscard]] std::string_view result_word(std::string_view name) {
  if (name.starts_with("y_")) return "valid";
  return name.starts_with("n_") ? "invalid" : "acceptable";
}

[[nodiscard]] std::string_view verdict_word(ExpectedResult result) {
  if (is_rejection(result)) return verdict_name(Verdict::reject);
  return verdict_name(result == ExpectedResult::undecided ? Verdict::undecided : Verdict::accept);
}

[[nodiscard]] Json finding_json(const ExpectedFinding& finding, Profile profile) {
  Json json{{"rule", finding.slug}};
  if (const Rule* const rule = find_rule(finding.slug)) {
    json["class"] = class_name(rule->kind);
    json["severity"] = severity_name(level_of(*rule, profile));
  }
  json["path"] = finding.label;
  json["range"] = {{"begin", finding.where.begin}, {"end", finding.where.end}};
  return json;
}

[[nodiscard]] Json expected_json(const Recipe& recipe) {
  Json json = Json::object();
  for (const ProfileInfo& info : kProfiles) {
    const Expectation* const expectation = recipe.find_expectation(info.name);
    if (expectation == nullptr) continue;
    Json findings = Json::array();
    for (const ExpectedFinding& finding : expectation->findings)
      findings.push_back(finding_json(finding, info.profile));
    json[std::string(info.name)] = {{"verdict", verdict_word(expectation->result)},
                                    {"result", expected_result_name(expectation->result)},
                                    {"findings", std::move(findings)}};
  }
  return json;
}

}  // namespace

void add_corpus(const std::vector<Case>& cases, Outputs& outputs) {
  Json rows = Json::array();
  for (const Case& each : cases) {
    const std::string place = each.file.family + '/' + each.file.stem;
    const std::string blob = "blobs/" + place + ".gguf";
    Json row{{"id", each.recipe.name},
             {"family", each.file.family},
             {"recipe", "recipes/" + place + ".gguft"},
             {"file", blob},
             {"bytes", each.recipe.file.bytes.size()},
             {"xxh3_64", hash_of(each.recipe.file.bytes)},
             {"result", result_word(each.recipe.name)},
             {"notes", each.recipe.notes},
             {"flags", each.recipe.flags}};
    if (!each.recipe.neighbour.empty()) row["neighbour"] = each.recipe.neighbour;
    row["dialect"] = dialect(each.recipe.spec.dialect).slug;
    row["expected"] = expected_json(each.recipe);
    rows.push_back(std::move(row));
    outputs["corpus/" + blob] = text_of(each.recipe.file.bytes);
  }
  const Json manifest{{"schema", "ggufvet.corpus/1"}, {"cases", std::move(rows)}};
  outputs["corpus/manifest.json"] = manifest.dump(1) + '\n';
}

}  // namespace ggufvet::regen
