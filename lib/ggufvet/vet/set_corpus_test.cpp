// Every case of several files against what it says of itself.
#include <algorithm>
#include <memory>
#include <ostream>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/vet/split_set.h"
#include "ggufvet/vet/support_test.h"
#include "ggufvet/write/set_recipe.h"

namespace ggufvet {
namespace {

struct FiledFinding {
  std::string slug;
  std::string file;
  ByteRange where;
  friend bool operator==(const FiledFinding&, const FiledFinding&) = default;
  friend std::ostream& operator<<(std::ostream& out, const FiledFinding& finding) {
    return out << finding.slug << " in " << finding.file << " [" << finding.where.begin << ", "
               << finding.where.end << ")";
  }
};

struct Outcome {
  std::vector<FiledFinding> findings;
  ExpectedResult result = ExpectedResult::valid;
};

void add_result(Outcome& outcome, const Finding& finding) {
  const bool malformed = find_rule(finding.rule)->kind == FindingClass::malformed;
  const ExpectedResult here = finding.severity == Severity::error
                                  ? (malformed ? ExpectedResult::malformed : ExpectedResult::invalid)
                              : finding.severity == Severity::warning ? ExpectedResult::warning
                                                                      : ExpectedResult::valid;
  outcome.result = std::max(outcome.result, here);
}

// As the command line does it: a set when the first name follows the pattern, else one file with a name.
Outcome vet_files(const SetRecipe& recipe, Profile profile) {
  Outcome outcome;
  const auto add = [&outcome](const Finding& finding, std::string_view file, ByteRange where) {
    outcome.findings.push_back({std::string(find_rule(finding.rule)->slug), std::string(file), where});
    add_result(outcome, finding);
  };
  std::vector<std::unique_ptr<MemorySource>> sources;
  std::vector<ShardSource> shards;
  for (const SetRecipeFile& file : recipe.files) {
    sources.push_back(std::make_unique<MemorySource>(file.built.bytes));
    shards.push_back({file.name, sources.back().get()});
  }
  VetOptions options = options_for(profile);
  if (!parse_shard_name(recipe.opened)) {
    options.file_name = recipe.opened;
    const auto vetted = vet(*sources.front(), options);
    for (const Finding& finding : vetted->report.findings) add(finding, recipe.opened, finding.where);
    return outcome;
  }
  const auto set = vet_split_set(shards, recipe.opened, options);
  for (const auto& shard : set->shards)
    for (const Finding& finding : shard->report.findings) add(finding, shard->facts.file_name, finding.where);
  for (const Finding& finding : set->report.findings) {
    const PlaceInShard place = set->place(finding.where);
    add(finding, set->shards[place.shard]->facts.file_name, place.where);
  }
  const bool rejected = outcome.result >= ExpectedResult::invalid;
  CHECK((set->report.verdict == Verdict::reject) == rejected);
  return outcome;
}

std::vector<FiledFinding> filed(const SetExpectation& expectation) {
  std::vector<FiledFinding> list;
  for (const SetExpectedFinding& finding : expectation.findings)
    list.push_back({finding.slug, finding.file, finding.where});
  return list;
}

const std::vector<SetRecipe>& set_cases() {
  static const std::vector<SetRecipe> cases = [] {
    std::vector<SetRecipe> loaded;
    const auto files = load_recipes(std::string(GGUFVET_ROOT) + "/corpus/recipes", kSetRecipeExtension);
    REQUIRE(files.has_value());
    for (const RecipeFile& file : *files) {
      auto recipe = assemble_set_recipe(file.text);
      INFO(file.path << ":" << (recipe ? 0 : recipe.error().line) << ": "
                     << (recipe ? "" : recipe.error().message));
      REQUIRE(recipe.has_value());
      CHECK(recipe->name == file.stem);
      loaded.push_back(std::move(*recipe));
    }
    return loaded;
  }();
  REQUIRE(!cases.empty());
  return cases;
}

bool raises(const SetRecipe& recipe, std::string_view slug) {
  return std::any_of(
      recipe.expectations.begin(), recipe.expectations.end(), [slug](const SetExpectation& each) {
        return std::any_of(each.findings.begin(), each.findings.end(),
                           [slug](const SetExpectedFinding& finding) { return finding.slug == slug; });
      });
}

}  // namespace

TEST_CASE("every case of several files raises exactly the findings it expects, under every profile") {
  for (const SetRecipe& recipe : set_cases())
    for (const ProfileInfo& info : kProfiles) {
      INFO(recipe.name << " under " << info.name);
      const SetExpectation* const expectation = recipe.find_expectation(info.name);
      REQUIRE(expectation != nullptr);
      const Outcome outcome = vet_files(recipe, info.profile);
      CHECK(outcome.findings == filed(*expectation));
      CHECK(outcome.result == expectation->result);
    }
}

TEST_CASE("every rule about sets and names has a case of several files, and a neighbour without it") {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      if (!needs_named_files(rule)) continue;
      INFO(rule.slug);
      const bool witnessed =
          std::any_of(set_cases().begin(), set_cases().end(), [&rule](const SetRecipe& recipe) {
            if (!raises(recipe, rule.slug)) return false;
            return std::any_of(set_cases().begin(), set_cases().end(), [&](const SetRecipe& other) {
              return other.name == recipe.neighbour && !raises(other, rule.slug);
            });
          });
      CHECK(witnessed);
    }
}

TEST_CASE("the order in which shards are given does not matter") {
  for (const SetRecipe& recipe : set_cases()) {
    if (recipe.files.size() < 2) continue;
    SetRecipe turned = recipe;
    std::reverse(turned.files.begin(), turned.files.end());
    CHECK(vet_files(recipe, Profile::hardened).findings == vet_files(turned, Profile::hardened).findings);
  }
}

TEST_CASE("what a set recipe cannot mean is refused with its line") {
  const auto refused_at = [](std::string_view text) {
    const auto recipe = assemble_set_recipe(text);
    REQUIRE_FALSE(recipe.has_value());
    return recipe.error().line;
  };
  CHECK(refused_at("case a\nnonsense\n") == 2);
  CHECK(refused_at("case a\nfile x\ngguf v3\nnonsense\n") == 4);
  CHECK(refused_at("case a\nfile x\ngguf v3\nexpect all valid no-rule @y/header\n") == 4);
  CHECK(refused_at("case a\n") == 1);
  CHECK(refused_at("file x\ngguf v3\n") == 2);
}

TEST_CASE("names of shards and of raw parts are told apart") {
  const auto name = parse_shard_name("m-00002-of-00003.gguf");
  REQUIRE(name.has_value());
  CHECK(name->prefix == "m");
  CHECK(name->number == 2);
  CHECK(name->count == 3);
  for (const std::string_view other :
       {"m-00000-of-00003.gguf", "m-00004-of-00003.gguf", "m-0001-of-0003.gguf", "m-00001-of-00003.GGUF",
        "m-00001-of-00003", "m00001-of-00003.gguf", "m-000001-of-000003.gguf", "00001-of-00003.gguf", ""})
    CHECK_FALSE(parse_shard_name(other).has_value());
  CHECK(parse_shard_name("-00001-of-00001.gguf").has_value());
  CHECK(parse_shard_name("m-100000-of-100000.gguf").has_value());
  for (const std::string_view part : {"m.gguf.part1of2", "m.gguf.part00", "m.gguf-split-a", "m.GGUF.001",
                                      "m.gguf.part-b", "m.gguf.aa", "m.Q4_K.gguf.part2"})
    CHECK(is_raw_part_name(part));
  for (const std::string_view whole :
       {"m.gguf", "m-00001-of-00003.gguf", "m.gguf.zip", "part1of2", "m.gguf.tmp", "m.gguf.download", ""})
    CHECK_FALSE(is_raw_part_name(whole));
}

}  // namespace ggufvet
