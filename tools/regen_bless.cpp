// Expectations from what happens, for a person to review.
#include <algorithm>
#include <cstdio>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/vet.h"
#include "regen.h"

namespace ggufvet::regen {
namespace {

// What follows the profiles on an expect line.
[[nodiscard]] std::string outcome(const Recipe& recipe, Profile profile) {
  MemorySource source(recipe.file.bytes);
  VetOptions options;
  options.profile = profile;
  if (recipe.spec.dialect != DialectId::ggml) options.dialect = recipe.spec.dialect;
  options.deep.scan = recipe.has_flag("deep");
  const auto vetted = vet(source, options);
  std::string text(expected_result_name(result_of(vetted->report)));
  for (const Finding& finding : vetted->report.findings) {
    text += "  ";
    text += find_rule(finding.rule)->slug;
    text += " @" + recipe.file.labels.name_of(finding.where);
  }
  return text;
}

[[nodiscard]] std::string expect_lines(const Recipe& recipe) {
  std::vector<std::pair<std::string, std::string>> groups;  // outcome, profiles
  for (const ProfileInfo& info : kProfiles) {
    const std::string text = outcome(recipe, info.profile);
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&text](const auto& g) { return g.first == text; });
    if (group == groups.end())
      groups.emplace_back(text, std::string(info.name));
    else
      group->second += ',' + std::string(info.name);
  }
  std::string lines;
  for (const auto& [text, profiles] : groups)
    lines += "expect  " + (groups.size() == 1 ? std::string(kAllProfiles) : profiles) + "  " + text + '\n';
  return lines;
}

}  // namespace

bool bless(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    if (!each.recipe.expectations.empty()) continue;
    std::string text = each.file.text;
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += expect_lines(each.recipe);
    if (!write_file(each.file.path, text)) return false;
    std::printf("blessed %s\n", each.file.path.c_str());
  }
  return true;
}

}  // namespace ggufvet::regen
