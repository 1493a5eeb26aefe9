// What tests of whole files share: vetting bytes, findings as (slug, range), the corpus loaded once.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/vet.h"
#include "ggufvet/write/corpus_folder.h"

namespace ggufvet {

struct PlacedFinding {
  std::string slug;
  ByteRange where;
  friend bool operator==(const PlacedFinding&, const PlacedFinding&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PlacedFinding& finding) {
    return out << finding.slug << " [" << finding.where.begin << ", " << finding.where.end << ")";
  }
};

[[nodiscard]] inline std::vector<PlacedFinding> placed(const std::vector<Finding>& findings) {
  std::vector<PlacedFinding> list;
  for (const Finding& finding : findings)
    list.push_back({std::string(find_rule(finding.rule)->slug), finding.where});
  return list;
}

[[nodiscard]] inline std::vector<PlacedFinding> placed(const std::vector<ExpectedFinding>& findings) {
  std::vector<PlacedFinding> list;
  for (const ExpectedFinding& finding : findings) list.push_back({finding.slug, finding.where});
  return list;
}

[[nodiscard]] inline VetOptions options_for(Profile profile, DialectId dialect = DialectId::ggml) {
  VetOptions options;
  options.profile = profile;
  // A recipe that names no dialect is vetted as a user does who names none.
  if (dialect != DialectId::ggml) options.dialect = dialect;
  return options;
}

[[nodiscard]] inline Report vet_bytes(std::span<const std::byte> bytes, const VetOptions& options = {}) {
  MemorySource source(bytes);
  return vet(source, options)->report;
}

// Raised by what several files, or a file's name, show: cases of several files witness them (set_corpus_test.cpp).
[[nodiscard]] inline bool needs_named_files(const Rule& rule) {
  constexpr std::string_view kByName[] = {"split-name-without-pattern", "split-raw-part"};
  return rule.check_set != nullptr || rule.slug == kByName[0] || rule.slug == kByName[1];
}

struct CorpusCase {
  RecipeFile file;
  Recipe recipe;
};

// Every recipe of the repository; loaded and assembled once.
[[nodiscard]] const std::vector<CorpusCase>& corpus_cases();

}  // namespace ggufvet
