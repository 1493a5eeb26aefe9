#include "ggufvet/base/duplicates.h"

#include <map>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

namespace ggufvet {
namespace {

std::vector<DuplicatePair> by_map(const std::vector<std::string>& texts) {
  std::map<std::string, std::uint32_t> first;
  std::vector<DuplicatePair> pairs;
  for (std::uint32_t index = 0; index < texts.size(); ++index) {
    const auto [place, fresh] = first.emplace(texts[index], index);
    if (!fresh) pairs.push_back({place->second, index});
  }
  return pairs;
}

bool same(const std::vector<DuplicatePair>& a, const std::vector<DuplicatePair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const DuplicatePair& x, const DuplicatePair& y) {
                      return x.first == y.first && x.again == y.again;
                    });
}

}  // namespace

TEST_CASE("duplicates are the ones a map finds, below and above the thresholds of sorting") {
  std::mt19937 random(11);
  for (const std::size_t count : {0U, 1U, 2U, 10U, 256U, 257U, 5000U}) {
    std::vector<std::string> texts;
    for (std::size_t index = 0; index < count; ++index)
      texts.push_back(std::to_string(random() % (count + 1)));
    const auto text_of = [&texts](std::uint32_t index) { return std::string_view(texts[index]); };
    CHECK(same(find_duplicates(count, text_of), by_map(texts)));
  }
}

TEST_CASE("texts whose hashes are all equal are still told apart") {
  std::vector<std::string> texts;
  for (int index = 0; index < 3000; ++index) texts.push_back("same prefix " + std::to_string(index % 2900));
  const auto text_of = [&texts](std::uint32_t index) { return std::string_view(texts[index]); };
  CHECK(same(find_duplicates(texts.size(), text_of, [](std::string_view) { return std::uint64_t{42}; }),
             by_map(texts)));
}

}  // namespace ggufvet
