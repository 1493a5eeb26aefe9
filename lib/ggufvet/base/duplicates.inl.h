#pragma once

#include <algorithm>

#include "ggufvet/base/duplicates.h"

namespace ggufvet {

template <class TextOf>
void append_group_duplicates(std::span<HashedIndex> group, const TextOf& text_of,
                             std::vector<DuplicatePair>& out) {
  std::sort(group.begin(), group.end(), [&text_of](const HashedIndex& a, const HashedIndex& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    const int order = text_of(a.index).compare(text_of(b.index));
    return order != 0 ? order < 0 : a.index < b.index;
  });
  std::size_t first = 0;
  for (std::size_t next = 1; next < group.size(); ++next) {
    const bool equal =
        group[first].hash == group[next].hash && text_of(group[first].index) == text_of(group[next].index);
    if (equal)
      out.push_back({group[first].index, group[next].index});
    else
      first = next;
  }
}

template <class TextOf, class Hash>
std::vector<DuplicatePair> find_duplicates(std::size_t count, const TextOf& text_of, const Hash& hash) {
  std::vector<HashedIndex> entries(count);
  for (std::size_t index = 0; index < count; ++index)
    entries[index] = {hash(text_of(static_cast<std::uint32_t>(index))), static_cast<std::uint32_t>(index)};
  sort_by_hash(entries);
  std::vector<DuplicatePair> duplicates;
  std::size_t begin = 0;
  while (begin < count) {
    std::size_t end = begin + 1;
    while (end < count && sort_bits(entries[end].hash) == sort_bits(entries[begin].hash)) ++end;
    if (end - begin > 1)
      append_group_duplicates(std::span(entries).subspan(begin, end - begin), text_of, duplicates);
    begin = end;
  }
  std::sort(duplicates.begin(), duplicates.end(),
            [](const DuplicatePair& a, const DuplicatePair& b) { return a.again < b.again; });
  return duplicates;
}

}  // namespace ggufvet
