#include "ggufvet/base/text_hash.h"

#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/blanks.h"
#include "ggufvet/base/text.h"
#include "ggufvet/base/text_fingerprints.h"

namespace ggufvet {
namespace {

TEST_CASE("a text hashes alike wherever it stands and whatever is behind it", "[base]") {
  const TextHash hash;
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR";
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::vector<char> alone(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(size));
    const std::uint64_t expected = hash({alone.data(), size}, size);  // under ASan nothing behind may be read
    CHECK(hash({letters.data(), size}, letters.size()) == expected);
    std::string other = letters;
    std::fill(other.begin() + static_cast<std::ptrdiff_t>(size), other.end(), '\xFF');
    CHECK(hash({other.data(), size}, other.size()) == expected);
  }
}

TEST_CASE("texts that differ in one byte, in length or in NULs at the end hash differently", "[base]") {
  const TextHash hash;
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  const auto add = [&](const std::string& text) {
    seen.insert(hash(text, text.size()));
    ++count;
  };
  for (std::size_t size = 0; size <= 20; ++size) {
    add(std::string(size, '\0'));
    for (std::size_t at = 0; at < size; ++at)
      for (int byte = 1; byte < 256; ++byte) {
        std::string text(size, '\0');
        text[at] = static_cast<char>(byte);
        add(text);
      }
  }
  CHECK(seen.size() == count);
}

TEST_CASE("blanks are found at every place, and nothing else is one", "[base]") {
  for (int byte = 0; byte < 256; ++byte)
    for (unsigned at = 0; at < 32; ++at) {
      std::string text(32, 'x');
      text[at] = static_cast<char>(byte);
      CHECK(blanks_of_32(as_bytes(text).data()) == (byte == ' ' ? std::uint32_t{1} << at : 0));
    }
  CHECK(blanks_of_32(as_bytes(std::string(32, ' ')).data()) == 0xFFFFFFFF);
}

TEST_CASE("a set of fingerprints holds what was put in, in tables of every size", "[base]") {
  const TextHash hash;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{400000}}) {
    TextFingerprints set(count);
    std::size_t added = 0, held = 0, not_held = 0;
    for (std::size_t index = 0; index < count; ++index) {
      const std::string text = std::to_string(index);
      set.prefetch(hash(text, text.size()));
      if (set.insert(hash(text, text.size()))) ++added;
    }
    for (std::size_t index = 0; index < count; ++index) {
      const std::string text = std::to_string(index);
      if (set.contains(hash(text, text.size())) && !set.insert(hash(text, text.size()))) ++held;
      const std::string other = "not " + text;
      if (!set.contains(hash(other, other.size()))) ++not_held;
    }
    // Two fingerprints may be equal by chance: once in some ten thousand runs of this.
    CHECK(added + 1 >= count);
    CHECK(held == count);
    CHECK(not_held + 1 >= count);
  }
}

}  // namespace
}  // namespace ggufvet
