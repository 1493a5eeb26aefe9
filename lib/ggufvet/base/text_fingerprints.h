// A set of texts by 32-bit fingerprints of their keyed hashes: 6 to 12 bytes a text, no text is kept. It may
// take two different texts for one with a chance of about 2^-32 a look-up, so a hit is a reason to look
// closely; a miss is certain. The hash is seeded for this process, so nobody can fill one place of the table
// on purpose.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ggufvet/base/huge_pages.h"

namespace ggufvet {

class TextFingerprints {
 public:
  // For at most `count` texts.
  explicit TextFingerprints(std::uint64_t count)
      : pairs_(static_cast<std::size_t>(std::bit_ceil((count + count / 2) / 2 + 1))),
        mask_(pairs_.size() - 1) {}

  // False when the text was there already. `hash` is its TextHash.
  [[nodiscard]] bool insert(std::uint64_t hash) {
    const std::uint32_t wanted = fingerprint(hash);
    for (std::size_t at = first_place(hash);; at = (at + 1) & mask_) {
      Pair& pair = pairs_[at];
      if (pair[0] == wanted || pair[1] == wanted) [[unlikely]]
        return false;
      // Which of the two is free is not foretold by anything, so it is no branch; that none is, is rare.
      const std::size_t used = std::size_t{pair[0] != 0} + std::size_t{pair[1] != 0};
      if (used == pair.size()) [[unlikely]]
        continue;
      pair[used] = wanted;
      return true;
    }
  }
  // A large table is nowhere near the processor: told some texts ahead, the way to it is walked in between.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&pairs_[first_place(hash)], 1); }

  [[nodiscard]] bool contains(std::uint64_t hash) const {
    const std::uint32_t wanted = fingerprint(hash);
    for (std::size_t at = first_place(hash);; at = (at + 1) & mask_) {
      const Pair& pair = pairs_[at];
      if (pair[0] == wanted || pair[1] == wanted) return true;
      if (pair[1] == 0) return false;
    }
  }

 private:
  // Filled from the front; at least a third of all are empty. No fingerprint is 0.
  using Pair = std::array<std::uint32_t, 2>;

  [[nodiscard]] static std::uint32_t fingerprint(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) | 1U;
  }
  [[nodiscard]] std::size_t first_place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & mask_;
  }

  std::vector<Pair, HugePageAllocator<Pair>> pairs_;
  std::size_t mask_;
};

}  // namespace ggufvet
