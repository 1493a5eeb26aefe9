// What a file holds: metadata, tensors, how its bytes are shared among types, and the name of its file_type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/render/style.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

struct TypeShare {
  std::uint32_t type_id = 0;
  std::string name;  // or "type 99" where the dialect has none
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  bool is_sized = true;  // false: the sizes of some tensors cannot be computed and are left out
};

// Largest share first; sums that do not fit 64 bits stay at their largest value.
[[nodiscard]] std::vector<TypeShare> type_shares(const ModelFacts& facts);

// "15 MOSTLY_Q4_K_M", with who else claims the number; empty when the file does not say.
[[nodiscard]] std::string file_type_text(const ModelFacts& facts);

struct ShowOptions {
  bool metadata = true;
  bool tensors = true;
  bool full = false;  // values and lists in whole length
};

[[nodiscard]] std::string show_text(std::string_view path, const Vetted& vetted, const ShowOptions& options,
                                    const TextStyle& style);
[[nodiscard]] std::string show_json(std::string_view path, const Vetted& vetted, const ShowOptions& options,
                                    std::string_view tool_version);

}  // namespace ggufvet
