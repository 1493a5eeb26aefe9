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

template <class TextOf, class Hash>
std::vector<DuplicatePair> find_duplicates(std::size_t count, const TextOf& text_of, const Hash& hash) {
  std::vector<HashedIndex> entries(count);
  for (std::uint32_t index = 0; index < count; ++index)
    entries[index] = hashed_index(hash(text_of(index)), index);
  const unsigned shift = sort_by_hash(entries);
  std::vector<DuplicatePair> duplicates;
  std::size_t begin = 0;
  while (begin < count) {
    std::size_t end = begin + 1;
    while (end < count && entries[end] >> shift == entries[begin] >> shift) ++end;
    if (end - begin > 1)
      append_group_duplicates(std::span(entries).subspan(begin, end - begin), text_of, duplicates);
    begin = end;
  }
  std::sort(duplicates.begin(), duplicates.end(),
            [](const DuplicatePair& a, const DuplicatePair& b) { return a.again < b.again; });
  return duplicates;
}

}  // namespace ggufvet
