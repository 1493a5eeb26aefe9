// The texts of all tokens of a vocabulary, as a set: so that equal ones are found and parts of merges can be
// looked up.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ggufvet/base/text_fingerprints.h"
#include "ggufvet/base/text_hash.h"

namespace ggufvet {

class TokenSet {
 public:
  explicit TokenSet(std::uint64_t count) : seen_(count), empty_(hash_({}, 0)) {}

  // Tokens from `index` on. Where they belong in the table was said before, by prefetch().
  void add(std::uint64_t index, std::span<const std::uint64_t> hashes) {
    for (std::size_t at = 0; at < hashes.size(); ++at)
      if (!seen_.insert(hashes[at])) note_repeated(index + at, hashes[at]);
  }
  void prefetch(std::uint64_t hash) const { seen_.prefetch(hash); }

  [[nodiscard]] const TextHash& hash() const { return hash_; }
  [[nodiscard]] const TextFingerprints& seen() const { return seen_; }
  // How many tokens are texts that were there before, as far as fingerprints tell, and the first of them.
  [[nodiscard]] std::uint64_t repeated_count() const { return repeated_count_; }
  [[nodiscard]] std::span<const std::uint64_t> repeated() const {
    return std::span(repeated_).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(repeated_count_, repeated_.size())));
  }

 private:
  void note_repeated(std::uint64_t index, std::uint64_t hash) {
    if (hash == empty_) return;  // another fault
    if (repeated_count_ < repeated_.size()) repeated_[static_cast<std::size_t>(repeated_count_)] = index;
    ++repeated_count_;
  }

  TextHash hash_;
  TextFingerprints seen_;
  std::uint64_t empty_;
  std::array<std::uint64_t, 4> repeated_{};
  std::uint64_t repeated_count_ = 0;
};

}  // namespace ggufvet
