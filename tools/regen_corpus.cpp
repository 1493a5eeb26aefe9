// Blobs and the manifest: what another implementation needs to run the corpus without our tools. And our own
// reports on every case in words, so that a change of theirs is seen in review.
#include <cstdio>

#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ggufvet/base/text.h"
#include "ggufvet/render/text_report.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/vet.h"
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

// One field a line, one profile a line: a change of one expectation is a change of one line.
[[nodiscard]] std::string manifest_text(const Json& rows) {
  std::string text = "{\n\"schema\": \"ggufvet.corpus/1\",\n\"cases\": [";
  for (std::size_t index = 0; index < rows.size(); ++index) {
    text += index == 0 ? "\n{" : ",\n{";
    std::string_view separator = "\n";
    for (const auto& [name, value] : rows[index].items()) {
      text += separator;
      text += Json(name).dump() + ": ";
      separator = ",\n";
      if (name != "expected") {
        text += value.dump();
        continue;
      }
      std::string_view between = "{\n ";
      for (const auto& [profile, expected] : value.items()) {
        text += between;
        text += Json(profile).dump() + ": " + expected.dump();
        between = ",\n ";
      }
      text += '}';
    }
    text += '}';
  }
  return text + "\n]\n}\n";
}

[[nodiscard]] std::string report_text(const Case& each) {
  MemorySource source(each.recipe.file.bytes);
  VetOptions options;
  options.profile = Profile::publish;  // the profile that says most
  options.dialect = each.recipe.spec.dialect;
  return text_report(each.recipe.name + ".gguf", *vet(source, options), {}) + '\n';
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
    outputs["corpus/" + blob] = as_text(each.recipe.file.bytes);
  }
  outputs["corpus/manifest.json"] = manifest_text(rows);
  for (const Case& each : cases) outputs["corpus/reports/" + each.file.family + ".txt"] += report_text(each);
}

}  // namespace ggufvet::regen
