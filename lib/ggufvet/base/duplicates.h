// Finding equal strings in near linear time whatever their writer chose: hashes under a seed drawn for this
// process are sorted by their leading bits, and only what shares those bits is looked at again: many under
// a second seed, few byte by byte. There is no table whose buckets could be filled on purpose.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ggufvet {

// The leading half of a text's hash above its index, in one number: in order of these numbers stand texts by
// hash, those of one hash as they came.
using HashedIndex = std::uint64_t;
[[nodiscard]] constexpr HashedIndex hashed_index(std::uint64_t hash, std::uint32_t index) {
  return (hash & 0xFFFFFFFF00000000) | index;
}
[[nodiscard]] constexpr std::uint32_t hash_of(HashedIndex entry) {
  return static_cast<std::uint32_t>(entry >> 32);
}
[[nodiscard]] constexpr std::uint32_t index_of(HashedIndex entry) {
  return static_cast<std::uint32_t>(entry);
}

struct DuplicatePair {
  std::uint32_t first = 0;  // index of the earliest of the equal strings
  std::uint32_t again = 0;  // index of a later one
};

[[nodiscard]] std::uint64_t hash_text(std::string_view text);
// Under a second seed, for texts that the first one does not tell apart.
[[nodiscard]] std::uint64_t hash_text_again(std::string_view text);
// Stable, by as many leading bits of the hash as tell most of the entries apart; linear. Answers how far to
// shift an entry to the right so that what remains are these bits.
[[nodiscard]] unsigned sort_by_hash(std::vector<HashedIndex>& entries);

// Sorts one group of equal leading bits by text and appends its duplicates.
template <class TextOf>
void append_group_duplicates(std::span<HashedIndex> group, const TextOf& text_of,
                             std::vector<DuplicatePair>& out);

// Every string that occurred before, with where; ordered by `again`. text_of(index) -> std::string_view;
// count must fit 32 bits. `hash` is replaceable so that a test can make every hash equal.
template <class TextOf, class Hash = std::uint64_t (*)(std::string_view)>
[[nodiscard]] std::vector<DuplicatePair> find_duplicates(std::size_t count, const TextOf& text_of,
                                                         const Hash& hash = hash_text);

}  // namespace ggufvet

#include "ggufvet/base/duplicates.inl.h"
