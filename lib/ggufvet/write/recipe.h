// A recipe is a corpus case as text: what the file is made of, line by line, and every finding that must be
// raised, under every profile. Its language is described in corpus/README.md. Any text is either taken or
// refused with the line that is at fault; nothing throws, and no text can make it build more than a few
// megabytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {

struct RecipeError {
  std::size_t line = 0;  // from 1
  std::string message;
};

// What findings amount to: the worst class of an error, else whether there are warnings.
enum class ExpectedResult : std::uint8_t { valid, warning, invalid, malformed, undecided };
[[nodiscard]] std::string_view expected_result_name(ExpectedResult result);

struct ExpectedFinding {
  std::string slug;
  std::string label;
  ByteRange where;
};

inline constexpr std::string_view kAllProfiles = "all";

struct Expectation {
  std::vector<std::string> profiles;  // by name, or "all"; this layer knows none
  ExpectedResult result{};
  std::vector<ExpectedFinding> findings;  // all of them, in the order of a report
};

struct Recipe {
  std::string name;
  std::vector<std::string> notes;
  std::vector<std::string> flags;
  std::string neighbour;  // the nearest case that does not raise what this one raises; empty if none is named
  FileSpec spec;          // spec.dialect is the one to vet under
  std::vector<Expectation> expectations;
  BuiltFile file;

  [[nodiscard]] bool has_flag(std::string_view flag) const;
  // Null when no line speaks of the profile.
  [[nodiscard]] const Expectation* find_expectation(std::string_view profile) const;
};

struct RecipeOptions {
  // Builds the file in this byte order whatever the recipe says.
  std::optional<ByteOrder> byte_order = {};
};

[[nodiscard]] tl::expected<Recipe, RecipeError> assemble_recipe(std::string_view text,
                                                                RecipeOptions options = {});

}  // namespace ggufvet
