#include "ggufvet/base/text_hash.h"

#include <algorithm>

#include "ggufvet/base/duplicates.h"

namespace ggufvet {

// The hash of texts of any length is keyed already; two of its values are keys like any others.
TextHash::TextHash() : keys_{hash_text("front"), hash_text("back")} {}

std::uint64_t TextHash::hash_other(std::string_view text) const {
  std::array<char, kWordMasks.size()> copy{};
  if (text.size() >= copy.size()) return hash_text(text);
  std::copy(text.begin(), text.end(), copy.begin());
  return hash_short(as_bytes({copy.data(), copy.size()}).data(), text.size());
}

}  // namespace ggufvet
