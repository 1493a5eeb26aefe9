#include "ggufvet/base/duplicates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <unistd.h>
#include <utility>

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

std::uint64_t hash_text_again(std::string_view text) {
  static const std::uint64_t seed = draw_seed();
  return XXH3_64bits_withSeed(text.data(), text.size(), ~seed);
}

namespace {

template <unsigned kShift, unsigned kBits>
void sort_by_digit(std::vector<HashedIndex>& entries, std::vector<HashedIndex>& other) {
  constexpr std::size_t kPlaces = std::size_t{1} << kBits;
  const auto place_of = [](HashedIndex entry) {
    return static_cast<std::size_t>(entry >> kShift) & (kPlaces - 1);
  };
  std::array<std::uint32_t, kPlaces> starts{};
  for (const HashedIndex entry : entries) ++starts[place_of(entry)];
  std::uint32_t sum = 0;
  for (std::uint32_t& start : starts) sum += std::exchange(start, sum);
  for (const HashedIndex entry : entries) other[starts[place_of(entry)]++] = entry;
  entries.swap(other);
}

}  // namespace

unsigned sort_by_hash(std::vector<HashedIndex>& entries) {
  constexpr std::size_t kSmall = 256;    // below this the histograms cost more than a comparison sort
  constexpr std::size_t kFew = 1 << 17;  // up to this 22 bits tell nearly all apart
  if (entries.size() <= kSmall) {
    std::sort(entries.begin(), entries.end());
    return 32;
  }
  std::vector<HashedIndex> other(entries.size());
  const bool few = entries.size() <= kFew;
  if (!few) sort_by_digit<32, 10>(entries, other);
  sort_by_digit<42, 11>(entries, other);
  sort_by_digit<53, 11>(entries, other);
  return few ? 42 : 32;
}

}  // namespace ggufvet
