// From a byte range back to the field it is part of. Findings carry ranges only; their subject is derived
// here, when words are made.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/rules/model_facts.h"

namespace ggufvet {

struct Place {
  std::string path;  // tensor[3].offset, metadata["general.alignment"].value, header.version, padding, tail
  std::string_view name;  // the tensor's name or the pair's key, raw; empty elsewhere
};

[[nodiscard]] Place locate(const ModelFacts& facts, ByteRange where);

// How a path names a pair: by key where that is plain and unambiguous, by index otherwise.
[[nodiscard]] std::string pair_path(const ModelFacts& facts, std::uint32_t index);

}  // namespace ggufvet
