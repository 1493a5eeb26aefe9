// Every case of the corpus against what it says of itself.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "ggufvet/vet/support_test.h"

namespace ggufvet {

const std::vector<CorpusCase>& corpus_cases() {
  static const std::vector<CorpusCase> cases = [] {
    std::vector<CorpusCase> loaded;
    auto files = load_recipes(std::string(GGUFVET_ROOT) + "/corpus/recipes");
    REQUIRE(files.has_value());
    for (RecipeFile& file : *files) {
      auto recipe = assemble_recipe(file.text);
      INFO(file.path << ":" << (recipe ? 0 : recipe.error().line) << ": "
                     << (recipe ? "" : recipe.error().message));
      REQUIRE(recipe.has_value());
      loaded.push_back({std::move(file), std::move(*recipe)});
    }
    return loaded;
  }();
  REQUIRE(!cases.empty());
  return cases;
}

namespace {

// The words an expectation has for a report: the class of the worst error, else whether anything is warned
// of.
std::string_view outcome(const Report& report) {
  bool malformed = false;
  bool invalid = false;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    malformed |= find_rule(finding.rule)->kind == FindingClass::malformed;
    invalid |= find_rule(finding.rule)->kind == FindingClass::invalid;
  }
  if (malformed) return "malformed";
  if (invalid) return "invalid";
  if (report.verdict == Verdict::undecided) return "undecided";
  return report.counts.warning > 0 ? "warning" : "valid";
}

// Whether all else that a line expects is a note in one of the profiles it is about: what a file is (an
// adapter, a projector) is told beside whatever is wrong with it.
bool others_are_notes(const Expectation& expectation, std::string_view slug) {
  return std::any_of(kProfiles.begin(), kProfiles.end(), [&](const ProfileInfo& info) {
    const auto named = [&](const std::string& name) { return name == kAllProfiles || name == info.name; };
    const auto is_note = [&](const ExpectedFinding& finding) {
      return finding.slug == slug || level_of(*find_rule(finding.slug), info.profile) <= Severity::info;
    };
    return std::any_of(expectation.profiles.begin(), expectation.profiles.end(), named) &&
           std::all_of(expectation.findings.begin(), expectation.findings.end(), is_note);
  });
}

// Whether some line expects this rule; and whether one expects it and, notes aside, nothing else.
struct Raised {
  bool at_all = false;
  bool alone = false;
};

Raised raised(const Recipe& recipe, std::string_view slug) {
  Raised answer;
  for (const Expectation& expectation : recipe.expectations) {
    const bool here = std::any_of(expectation.findings.begin(), expectation.findings.end(),
                                  [slug](const ExpectedFinding& finding) { return finding.slug == slug; });
    answer.at_all |= here;
    answer.alone |= here && others_are_notes(expectation, slug);
  }
  return answer;
}

// Limits of ours and failed reads are no property of a file, so no file witnesses them: limits_test.cpp does.
bool witnessed_by_files(const Rule& rule) {
  return rule.kind != FindingClass::limit && rule.kind != FindingClass::io && !needs_named_files(rule);
}

// Rules that explain another finding, or say what follows from it, and so never stand alone.
bool is_companion(const Rule& rule) {
  constexpr std::array<std::string_view, 8> kCompanions{
      "dialect-fits-only",         "dialect-ambiguous",
      "dialect-fits-none",         "rows-without-headers-suspected",
      "dialect-hint-file-type",    "dialect-hint-writer",
      "key-of-other-architecture", "hyperparameter-missing-in-metadata"};
  return std::find(kCompanions.begin(), kCompanions.end(), rule.slug) != kCompanions.end();
}

const CorpusCase* find_case(std::string_view name) {
  for (const CorpusCase& each : corpus_cases())
    if (each.recipe.name == name) return &each;
  return nullptr;
}

}  // namespace

TEST_CASE("every case raises exactly the findings it expects, under every profile") {
  for (const CorpusCase& each : corpus_cases())
    for (const ProfileInfo& info : kProfiles) {
      INFO(each.file.path << " under " << info.name);
      const Expectation* const expectation = each.recipe.find_expectation(info.name);
      REQUIRE(expectation != nullptr);
      const Report report = vet_bytes(each.recipe.file.bytes, options_for(each.recipe, info.profile));
      CHECK(placed(report.findings) == placed(expectation->findings));
      CHECK(outcome(report) == expected_result_name(expectation->result));
      CHECK_FALSE(report.truncated);
      for (const Finding& finding : report.findings)
        CHECK(finding.severity == level_of(*find_rule(finding.rule), info.profile));
    }
}

TEST_CASE("a case's expectations name known rules, and each profile once") {
  std::set<std::string_view> profiles{kAllProfiles};
  for (const ProfileInfo& info : kProfiles) profiles.insert(info.name);
  for (const CorpusCase& each : corpus_cases()) {
    INFO(each.file.path);
    std::multiset<std::string> named;
    for (const Expectation& expectation : each.recipe.expectations) {
      for (const std::string& profile : expectation.profiles) {
        CHECK(profiles.contains(profile));
        named.insert(profile);
      }
      for (const ExpectedFinding& finding : expectation.findings) CHECK(find_rule(finding.slug) != nullptr);
    }
    const std::size_t wanted = named.contains(std::string(kAllProfiles)) ? 1 : kProfiles.size();
    CHECK(named.size() == wanted);
    CHECK(std::set(named.begin(), named.end()).size() == wanted);
  }
}

TEST_CASE("a case is called what it is: y_ accepted, n_ rejected, i_ with a note that says who disagrees") {
  std::set<std::string> names;
  for (const CorpusCase& each : corpus_cases()) {
    const Recipe& recipe = each.recipe;
    INFO(each.file.path);
    CHECK(recipe.name == each.file.stem);
    CHECK(names.insert(recipe.name).second);
    CHECK_FALSE(recipe.notes.empty());
    const Report report = vet_bytes(recipe.file.bytes, options_for(recipe, Profile::hardened));
    if (recipe.name.starts_with("y_")) {
      CHECK(report.verdict == Verdict::accept);
    } else if (recipe.name.starts_with("n_")) {
      CHECK(report.verdict == Verdict::reject);
      CHECK_FALSE(recipe.neighbour.empty());
    } else {
      CHECK(recipe.name.starts_with("i_"));
      CHECK(recipe.notes.size() >= 2);
      CHECK_FALSE(recipe.neighbour.empty());
    }
  }
}

TEST_CASE("every neighbour is a case, and lacks something its case raises") {
  for (const CorpusCase& each : corpus_cases()) {
    if (each.recipe.neighbour.empty()) continue;
    INFO(each.file.path);
    const CorpusCase* const neighbour = find_case(each.recipe.neighbour);
    REQUIRE(neighbour != nullptr);
    CHECK(neighbour != &each);
    bool differs = each.recipe.name.starts_with("y_");
    for (const Expectation& expectation : each.recipe.expectations)
      for (const ExpectedFinding& finding : expectation.findings)
        differs |= !raised(neighbour->recipe, finding.slug).at_all;
    CHECK(differs);
  }
}

TEST_CASE("every rule has a case that raises it alone, and a neighbour of that case that does not raise it") {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      if (!witnessed_by_files(rule)) continue;
      INFO(rule.slug);
      std::size_t witnesses = 0;
      for (const CorpusCase& each : corpus_cases()) {
        const Raised here = raised(each.recipe, rule.slug);
        if (!(is_companion(rule) ? here.at_all : here.alone)) continue;
        const CorpusCase* const neighbour = find_case(each.recipe.neighbour);
        if (neighbour != nullptr && !raised(neighbour->recipe, rule.slug).at_all) ++witnesses;
      }
      CHECK(witnesses > 0);
    }
}

TEST_CASE("blobs and manifest are those of the recipes") {
  const std::string corpus = std::string(GGUFVET_ROOT) + "/corpus/";
  const auto text = read_text_file(corpus + "manifest.json");
  REQUIRE(text.has_value());
  const auto manifest = nlohmann::json::parse(*text, nullptr, false);
  REQUIRE_FALSE(manifest.is_discarded());
  REQUIRE(manifest["schema"] == "ggufvet.corpus/1");
  REQUIRE(manifest["cases"].size() == corpus_cases().size());
  for (std::size_t index = 0; index < corpus_cases().size(); ++index) {
    const CorpusCase& each = corpus_cases()[index];
    const auto& row = manifest["cases"][index];
    INFO(each.file.path);
    CHECK(row["id"] == each.recipe.name);
    CHECK(row["bytes"] == each.recipe.file.bytes.size());
    const auto blob = read_text_file(corpus + row["file"].get<std::string>());
    REQUIRE(blob.has_value());
    CHECK((bytes_of(*blob) == each.recipe.file.bytes));
    for (const ProfileInfo& info : kProfiles) {
      const auto& expected = row["expected"][std::string(info.name)];
      const Expectation* const expectation = each.recipe.find_expectation(info.name);
      REQUIRE(expectation != nullptr);
      CHECK(expected["result"] == expected_result_name(expectation->result));
      REQUIRE(expected["findings"].size() == expectation->findings.size());
      for (std::size_t at = 0; at < expectation->findings.size(); ++at) {
        CHECK(expected["findings"][at]["rule"] == expectation->findings[at].slug);
        CHECK(expected["findings"][at]["range"]["begin"] == expectation->findings[at].where.begin);
        CHECK(expected["findings"][at]["range"]["end"] == expectation->findings[at].where.end);
      }
    }
  }
}

}  // namespace ggufvet
