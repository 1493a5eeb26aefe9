#pragma once

#include <algorithm>

#include "ggufvet/base/duplicates.h"

namespace ggufvet {

template <class TextOf>
void append_group_duplicates(std::span<HashedIndex> group, const TextOf& text_of,
                             std::vector<DuplicatePair>& out) {
  std::sort(group.begin(), group.end(), [&text_of](HashedIndex a, HashedIndex b) {
    if (hash_of(a) != hash_of(b)) return a < b;
    const int order = text_of(index_of(a)).compare(text_of(index_of(b)));
    return order != 0 ? order < 0 : a < b;
  });
  std::size_t first = 0;
  for (std::size_t next = 1; next < group.size(); ++next) {
    const bool equal = hash_of(group[first]) == hash_of(group[next]) &&
                       text_of(index_of(group[first])) == text_of(index_of(group[next]));
    if (equal)
      out.push_back({index_of(group[first]), index_of(group[next])});
    else
      first = next;
  }
}

// Hands each group of entries that share their leading bits, and is more than one, to `visit`.
template <class Visit>
void for_each_group(std::span<HashedIndex> entries, unsigned shift, const Visit& visit) {
  std::size_t begin = 0;
  while (begin < entries.size()) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end] >> shift == entries[begin] >> shift) ++end;
    if (end - begin > 1) visit(entries.subspan(begin, end - begin));
    begin = end;
  }
}

template <class TextOf, class Hash>
std::vector<DuplicatePair> find_duplicates(std::size_t count, const TextOf& text_of, const Hash& hash) {
  constexpr std::size_t kGroupMax =
      64;  // larger ones are of equal texts, or of a hash that somebody got around
  std::vector<HashedIndex> entries(count);
  for (std::uint32_t index = 0; index < count; ++index)
    entries[index] = hashed_index(hash(text_of(index)), index);
  const unsigned shift = sort_by_hash(entries);
  std::vector<DuplicatePair> duplicates;
  for_each_group(entries, shift, [&](std::span<HashedIndex> group) {
    if (group.size() <= kGroupMax) return append_group_duplicates(group, text_of, duplicates);
    std::vector<HashedIndex> again(group.begin(), group.end());
    for (HashedIndex& entry : again)
      entry = hashed_index(hash_text_again(text_of(index_of(entry))), index_of(entry));
    const unsigned shift_again = sort_by_hash(again);
    for_each_group(again, shift_again,
                   [&](std::span<HashedIndex> few) { append_group_duplicates(few, text_of, duplicates); });
  });
  std::sort(duplicates.begin(), duplicates.end(),
            [](const DuplicatePair& a, const DuplicatePair& b) { return a.again < b.again; });
  return duplicates;
}

}  // namespace ggufvet
