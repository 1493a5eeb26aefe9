// A folder of recipes: <family>/<case>.gguft. Reads files, judges nothing.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "ggufvet/write/recipe.h"

namespace ggufvet {

struct RecipeFile {
  std::string family;  // the folder
  std::string stem;    // the file's name without .gguft, which must be the case's name
  std::string path;
  std::string text;
};

// All recipes below the folder, by family, then name; or what could not be read.
inline constexpr std::string_view kRecipeExtension = ".gguft";
inline constexpr std::string_view kSetRecipeExtension = ".ggufset";  // of several files: see set_recipe.h
[[nodiscard]] tl::expected<std::vector<RecipeFile>, std::string> load_recipes(
    const std::string& folder, std::string_view extension = kRecipeExtension);
// The bytes of a file; empty when it cannot be read.
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path);

}  // namespace ggufvet
