#include "ggufvet/base/text.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/text_simd.h"

namespace ggufvet {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// Table 3-7 of the Unicode standard, written down a second way: by decoding to a number and asking whether
// the number may be spelled in that many bytes.
bool valid_by_value(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<std::uint8_t>(text[at]);
    std::size_t length = 0;
    if (lead < 0x80)
      length = 1;
    else if ((lead & 0xE0) == 0xC0)
      length = 2;
    else if ((lead & 0xF0) == 0xE0)
      length = 3;
    else if ((lead & 0xF8) == 0xF0)
      length = 4;
    if (length == 0 || at + length > text.size()) return false;
    std::uint32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t next = 1; next < length; ++next) {
      const auto byte = static_cast<std::uint8_t>(text[at + next]);
      if ((byte & 0xC0) != 0x80) return false;
      value = (value << 6) | (byte & 0x3Fu);
    }
    constexpr std::uint32_t kSmallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return false;
    at += length;
  }
  return true;
}

}  // namespace

TEST_CASE("every two- and three-byte string is judged as the standard's table says") {
  for (std::uint32_t first = 0x70; first <= 0xFF; ++first)
    for (std::uint32_t second = 0; second <= 0xFF; ++second) {
      std::string text{static_cast<char>(first), static_cast<char>(second)};
      REQUIRE(is_valid_utf8(text) == valid_by_value(text));
      if (first < 0xE0) continue;
      for (std::uint32_t third = 0x7E; third <= 0xC2; ++third) {
        std::string three = text + static_cast<char>(third);
        REQUIRE(is_valid_utf8(three) == valid_by_value(three));
        for (std::uint32_t fourth : {0x7Fu, 0x80u, 0xBFu, 0xC0u})
          REQUIRE(is_valid_utf8(three + static_cast<char>(fourth)) ==
                  valid_by_value(three + static_cast<char>(fourth)));
      }
    }
}

TEST_CASE("vector, portable and by-value scans agree on random text at every length and position") {
  std::mt19937 random(7);
  const std::vector<std::string> pieces{"a",
                                        std::string(1, '\0'),
                                        "\xC3\xA9",
                                        "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80",
                                        "\xED\xA0\x80",
                                        "\xC0\x80",
                                        "\x80",
                                        "\xF4\x90\x80\x80",
                                        "\xE0\x80\x80",
                                        "\xF5",
                                        "the quick brown fox jumps over"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t valid_only = random() % 2;
    const std::size_t length = random() % 200;
    while (text.size() < length) {
      const std::size_t pick = random() % pieces.size();
      if (valid_only == 1 && pick >= 5 && pick <= 10) continue;
      text += pieces[pick];
    }
    if (random() % 3 == 0) text.resize(length);
    const TextScan portable = scan_text_portable(bytes_of(text));
    REQUIRE(portable.valid_utf8 == valid_by_value(text));
    REQUIRE(portable.zero_bytes == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\0')));
    if (simd_text_available()) {
      const TextScan vector = scan_text_simd(bytes_of(text));
      REQUIRE(vector.valid_utf8 == portable.valid_utf8);
      REQUIRE(vector.zero_bytes == portable.zero_bytes);
    }
  }
}

TEST_CASE("more zero bytes than a byte counter holds are counted") {
  const std::string text(32 * 700 + 5, '\0');
  CHECK(scan_text(bytes_of(text)).zero_bytes == text.size());
  CHECK(scan_text_portable(bytes_of(text)).zero_bytes == text.size());
}

TEST_CASE("what could move a cursor, reorder or hide is escaped, the rest is shown as it is") {
  CHECK(escaped("blk.0.attn_q") == "blk.0.attn_q");
  CHECK(escaped("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(escaped("\x1b[31m") == "\\x1b[31m");
  CHECK(escaped("a\nb\"c\\") == "a\\nb\\\"c\\\\");
  CHECK(escaped("\xE2\x80\xAEgpj") == "\\u{202e}gpj");
  CHECK(escaped("\xC2\x9B"
                "31m") == "\\u{9b}31m");
  CHECK(escaped("\xFF\xFE") == "\\xff\\xfe");
  CHECK(escaped("abcdef", 3) == "abc\xE2\x80\xA6 (6 bytes)");
  CHECK(escaped("abc", 3) == "abc");
}

TEST_CASE("unprintable characters are found at their first byte") {
  CHECK_FALSE(find_unprintable("token_embd.weight").has_value());
  CHECK(find_unprintable("ab\x07") == 2U);
  CHECK(find_unprintable("a\xE2\x80\x8B") == 1U);
  CHECK(find_unprintable("a\xC2\x85") == 1U);
}

TEST_CASE("characters of names and keys are told one by one, at every place and length") {
  const auto is_key_character = [](int byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' ||
           byte == '-';
  };
  for (std::size_t length = 1; length <= 40; ++length)
    for (std::size_t at = 0; at < length; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, 'k');
        text[at] = static_cast<char>(byte);
        if (is_graphic_ascii(text) != (byte > 0x20 && byte < 0x7F)) FAIL("graphic: " << byte << " at " << at);
        if (has_key_characters_only(text) != is_key_character(byte)) FAIL("key: " << byte << " at " << at);
      }
  CHECK(is_graphic_ascii(""));
  CHECK(has_key_characters_only(""));
}

}  // namespace ggufvet
