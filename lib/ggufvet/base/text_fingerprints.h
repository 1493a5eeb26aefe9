// A set of texts by 32-bit fingerprints of their keyed hashes: 6 to 12 bytes a text, no text is kept. It may
// take two different texts for one with a chance of about 2^-32 a look-up, so a hit is a reason to look
// closely; a miss is certain. The hash is seeded for this process, so nobody can fill one place of the table
// on purpose.
#pragma once

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
      : slots_(static_cast<std::size_t>(std::bit_ceil(count + count / 2 + 2))), mask_(slots_.size() - 1) {}

  // False when the text was there already. `hash` is its TextHash.
  [[nodiscard]] bool insert(std::uint64_t hash) {
    std::uint32_t& slot = slots_[place(hash)];
    if (slot != 0) return false;
    slot = fingerprint(hash);
    return true;
  }
  // A large table is nowhere near the processor: told some texts ahead, the way to it is walked in between.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[first_place(hash)], 1); }

  [[nodiscard]] bool contains(std::uint64_t hash) const { return slots_[place(hash)] != 0; }

 private:
  [[nodiscard]] static std::uint32_t fingerprint(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) | 1U;
  }
  [[nodiscard]] std::size_t first_place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & mask_;
  }
  // The slot that holds the fingerprint, or the empty one where it would stand. At least a third are empty.
  [[nodiscard]] std::size_t place(std::uint64_t hash) const {
    const std::uint32_t wanted = fingerprint(hash);
    std::size_t at = first_place(hash);
    while (slots_[at] != 0 && slots_[at] != wanted) at = (at + 1) & mask_;
    return at;
  }

  std::vector<std::uint32_t, HugePageAllocator<std::uint32_t>> slots_;
  std::size_t mask_;
};

}  // namespace ggufvet
