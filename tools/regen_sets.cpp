// The files of split sets, each case a folder, and what another implementation needs to run them.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "ggufvet/base/text.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/write/set_recipe.h"
#include "regen.h"

namespace ggufvet::regen {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json expected_json(const SetRecipe& recipe) {
  Json json = Json::object();
  for (const ProfileInfo& info : kProfiles) {
    const SetExpectation* const expectation = recipe.find_expectation(info.name);
    if (expectation == nullptr) continue;
    Json findings = Json::array();
    for (const SetExpectedFinding& finding : expectation->findings)
      findings.push_back(Json{{"rule", finding.slug},
                              {"file", finding.file},
                              {"range", {{"begin", finding.where.begin}, {"end", finding.where.end}}}});
    const bool rejected = is_rejection(expectation->result);
    json[std::string(info.name)] = {
        {"verdict", verdict_name(rejected                                           ? Verdict::reject
                                 : expectation->result == ExpectedResult::undecided ? Verdict::undecided
                                                                                    : Verdict::accept)},
        {"result", expected_result_name(expectation->result)},
        {"findings", std::move(findings)}};
  }
  return json;
}

}  // namespace

bool add_sets(const std::string& root, Outputs& outputs) {
  const auto files = load_recipes(root + "/corpus/recipes", kSetRecipeExtension);
  if (!files) {
    std::fprintf(stderr, "%s\n", files.error().c_str());
    return false;
  }
  Json rows = Json::array();
  bool ok = true;
  for (const RecipeFile& file : *files) {
    const auto recipe = assemble_set_recipe(file.text);
    if (!recipe || recipe->name != file.stem) {
      std::fprintf(stderr, "%s:%zu: %s\n", file.path.c_str(), recipe ? 1 : recipe.error().line,
                   recipe ? "the case has another name than the file" : recipe.error().message.c_str());
      ok = false;
      continue;
    }
    const std::string place = file.family + '/' + file.stem;
    Json names = Json::array();
    for (const SetRecipeFile& each : recipe->files) {
      names.push_back(each.name);
      outputs["corpus/blobs/" + place + '/' + each.name] = as_text(each.built.bytes);
    }
    Json row{{"id", recipe->name},
             {"family", file.family},
             {"recipe", "recipes/" + place + std::string(kSetRecipeExtension)},
             {"folder", "blobs/" + place},
             {"files", std::move(names)},
             {"opened", recipe->opened},
             {"notes", recipe->notes}};
    if (!recipe->neighbour.empty()) row["neighbour"] = recipe->neighbour;
    row["expected"] = expected_json(*recipe);
    rows.push_back(std::move(row));
  }
  const Json manifest{{"schema", "ggufvet.corpus-sets/1"}, {"cases", std::move(rows)}};
  outputs["corpus/sets.json"] = manifest.dump(1) + '\n';
  return ok;
}

}  // namespace ggufvet::regen
