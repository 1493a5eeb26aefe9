#include "ggufvet/render/style.h"

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/render/message.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0,
                                  std::size_t hanging = 0) {
  std::string out;
  append_wrapped(out, text, width, indent, hanging);
  return out;
}

}  // namespace

TEST_CASE("columns are what a terminal takes: one, two for wide characters, none for combining marks") {
  CHECK(columns_of("") == 0);
  CHECK(columns_of("abc…") == 4);
  CHECK(columns_of("caf\xC3\xA9") == 4);
  CHECK(columns_of("cafe\xCC\x81") == 4);
  CHECK(columns_of("\xE6\xA8\xA1\xE5\x9E\x8B") == 4);  // two ideographs
  CHECK(columns_of("\xF0\x9F\x98\x80") == 2);
}

TEST_CASE("what does not fit is cut between characters and ends in an ellipsis") {
  CHECK(fitted("abcdef", 0) == "abcdef");
  CHECK(fitted("abcdef", 6) == "abcdef");
  CHECK(fitted("abcdef", 5) == "abcd…");
  CHECK(fitted("\xE6\xA8\xA1\xE5\x9E\x8B", 3) == "\xE6\xA8\xA1…");
  CHECK(fitted("a\xE6\xA8\xA1\xE5\x9E\x8B", 3) == "a…");  // half of a wide character is none
  CHECK(padded_right("ab", 4) == "ab  ");
  CHECK(padded_left("ab", 4) == "  ab");
  CHECK(padded_left("abcde", 4) == "abcde");
}

TEST_CASE("words are wrapped at blanks, and hard where there are none") {
  CHECK(wrapped("one two three", 0) == "one two three\n");
  CHECK(wrapped("one two three four five", 16) == "one two three\nfour five\n");
  CHECK(wrapped("0123456789abcdef", 16) == "0123456789abcdef\n");
  CHECK(wrapped("0123456789abcdefXYZ", 16) == "0123456789abcdef\nXYZ\n");
  CHECK(wrapped("0123456789abcdef XYZ", 16) == "0123456789abcdef\nXYZ\n");
  CHECK(wrapped("one two three four", 20, 2, 4) == "  one two three four\n");
  CHECK(wrapped("one two three four five six", 20, 2, 4) == "  one two three four\n    five six\n");
  CHECK(wrapped("", 20).empty());
  // A width that leaves no room still says something, and ends.
  CHECK(wrapped("0123456789abcdefXYZ", 1, 30, 30).size() == 2 * 31 + 19);
}

TEST_CASE("colours are ours alone and only there when asked for") {
  CHECK(inked("x", Ink::red, {.colour = false, .width = 0}) == "x");
  CHECK(inked("x", Ink::red, {.colour = true, .width = 0}) == "\x1b[31mx\x1b[0m");
  CHECK(inked("x", Ink::plain, {.colour = true, .width = 0}) == "x");
  CHECK(ink_of(Severity::error) == Ink::red);
  CHECK(ink_of(Severity::warning) == Ink::yellow);
  CHECK(ink_of(Verdict::accept) == Ink::green);
  CHECK(ink_of(Verdict::undecided) == Ink::yellow);
}

TEST_CASE("numbers for the eye") {
  CHECK(with_separators(0) == "0");
  CHECK(with_separators(999) == "999");
  CHECK(with_separators(1000) == "1,000");
  CHECK(with_separators(18446744073709551615U) == "18,446,744,073,709,551,615");
  CHECK(human_bytes(1) == "1 byte");
  CHECK(human_bytes(1023) == "1023 bytes");
  CHECK(human_bytes(1024) == "1.00 KiB");
  CHECK(human_bytes(18446744073709551615U) == "16.00 EiB");
  CHECK(counted(1, "file", "files") == "1 file");
  CHECK(counted(0, "file", "files") == "0 files");
  CHECK(counted(1234, "file", "files") == "1,234 files");
}

}  // namespace ggufvet
