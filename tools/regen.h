// Everything in the repository that is made from something else: blobs, manifest and reports from recipes,
// documents from tables, the fuzzers' dictionary from the format's constants. Each part says what its files
// should hold; one place writes or compares them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ggufvet/vet/profile.h"
#include "ggufvet/vet/report.h"
#include "ggufvet/write/corpus_folder.h"

namespace ggufvet::regen {

// Path from the root of the repository -> content.
using Outputs = std::map<std::string, std::string>;

struct Case {
  RecipeFile file;
  Recipe recipe;
};

// Every recipe, assembled; what cannot be is told on stderr and makes this empty.
[[nodiscard]] std::optional<std::vector<Case>> load_cases(const std::string& root);

// What a report amounts to, in the words of an expectation.
[[nodiscard]] ExpectedResult result_of(const Report& report);
[[nodiscard]] bool is_rejection(ExpectedResult result);

void add_corpus(const std::vector<Case>& cases, Outputs& outputs);
// The files of set recipes, and their manifest. False when one cannot be assembled, which is told on stderr.
[[nodiscard]] bool add_sets(const std::string& root, Outputs& outputs);
void add_documents(const std::vector<Case>& cases, Outputs& outputs);
void add_dictionary(Outputs& outputs);

// Gives every recipe without expectations those that describe what happens now. For a person to review: this
// writes down what is, not what ought to be. False when a file cannot be written.
[[nodiscard]] bool bless(const std::vector<Case>& cases);

// Writes by way of a temporary file, so that nobody sees half of one.
[[nodiscard]] bool write_file(const std::string& path, std::string_view content);

}  // namespace ggufvet::regen
