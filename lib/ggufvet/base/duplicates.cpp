#include "ggufvet/base/duplicates.h"

#include <array>
#include <chrono>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ggufvet {
namespace {

[[nodiscard]] std::uint64_t draw_seed() {
  std::uint64_t seed = 0;
  if (getentropy(&seed, sizeof seed) == 0) return seed;
  // No entropy to be had: a guessable seed only costs time on hostile names, never a wrong answer.
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  static const std::uint64_t seed = draw_seed();
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

void sort_by_hash(std::vector<HashedIndex>& entries) {
  constexpr std::size_t kSmall = 256;  // below this the histograms cost more than a comparison sort
  if (entries.size() <= kSmall) {
    std::stable_sort(entries.begin(), entries.end(), [](const HashedIndex& a, const HashedIndex& b) {
      return sort_bits(a.hash) < sort_bits(b.hash);
    });
    return;
  }
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<HashedIndex> other(entries.size());
  for (unsigned pass = 0; pass < 3; ++pass) {
    const unsigned shift = 31 + pass * kDigitBits;
    std::array<std::uint32_t, kDigits> starts{};
    for (const HashedIndex& entry : entries) ++starts[(entry.hash >> shift) & (kDigits - 1)];
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts) {
      const std::uint32_t count = start;
      start = sum;
      sum += count;
    }
    for (const HashedIndex& entry : entries) other[starts[(entry.hash >> shift) & (kDigits - 1)]++] = entry;
    entries.swap(other);
  }
}

}  // namespace ggufvet
