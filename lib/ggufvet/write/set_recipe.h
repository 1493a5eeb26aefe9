// A recipe of several files, for what only files together, or a file's name, can show: lines about the case,
// then for each file a line `file NAME` and the lines of an ordinary recipe about it. Places are written
// FILE/LABEL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "ggufvet/write/recipe.h"

namespace ggufvet {

struct SetRecipeFile {
  std::string name;
  BuiltFile built;
};

struct SetExpectedFinding {
  std::string slug;
  std::string file;
  ByteRange where;  // in that file
};

struct SetExpectation {
  std::vector<std::string> profiles;
  ExpectedResult result{};
  std::vector<SetExpectedFinding> findings;  // of each file in order of their names, then of the set
};

struct SetRecipe {
  std::string name;
  std::vector<std::string> notes;
  std::string neighbour;
  std::vector<SetRecipeFile> files;
  std::string opened;  // the file that is named to the checker: the first one written down
  std::vector<SetExpectation> expectations;

  [[nodiscard]] const SetExpectation* find_expectation(std::string_view profile) const;
};

inline constexpr std::size_t kSetRecipeFilesMax = 64;

[[nodiscard]] tl::expected<SetRecipe, RecipeError> assemble_set_recipe(std::string_view text);

}  // namespace ggufvet
