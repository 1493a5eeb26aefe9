#include "ggufvet/read/cursor.h"

#include <string>

#include <catch2/catch_test_macros.hpp>

namespace ggufvet {
namespace {

[[nodiscard]] Cursor over(std::string_view bytes, ByteOrder order = ByteOrder::little) {
  return {as_bytes(bytes), bytes.size(), order};
}

}  // namespace

TEST_CASE("values are read one after the other in the byte order that is set") {
  Cursor in = over(std::string_view("\x01\x02\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04", 12));
  CHECK(in.read<std::uint8_t>() == 1);
  CHECK(in.read<std::uint16_t>() == 2);
  in.set_order(ByteOrder::big);
  CHECK(in.read<std::uint8_t>() == 3);
  CHECK(in.read<std::uint64_t>() == 4);
  CHECK(in.ok());
  CHECK(in.offset() == 12);
  CHECK(in.remaining() == 0);
}

TEST_CASE("a cursor fails once and stays failed") {
  Cursor in = over("abc");
  CHECK(in.read<std::uint32_t>() == 0);
  REQUIRE_FALSE(in.ok());
  CHECK(in.stopped().reason == StopReason::file_ends);
  CHECK(in.stopped().where == ByteRange{0, 3});
  CHECK(in.stopped().value == 4);
  CHECK(in.stopped().allowed == 3);
  CHECK(in.read<std::uint8_t>() == 0);  // there is a byte, but it is not given any more
  CHECK(in.offset() == 0);
  CHECK(in.read_bytes(1).empty());
  in.skip(1);
  CHECK(in.offset() == 0);
  in.stop(StopReason::rank_too_large, {0, 1}, 9);
  CHECK(in.stopped().reason == StopReason::file_ends);
}

TEST_CASE("the end of a window is not the end of the file") {
  const std::string_view bytes = "0123456789";
  Cursor in(as_bytes(bytes), 1000, ByteOrder::little, 100);
  CHECK(in.offset() == 100);
  CHECK(in.remaining() == 900);
  in.skip(4);
  CHECK(as_text(in.read_bytes(4)) == "4567");
  CHECK(in.offset() == 108);
  CHECK(in.read<std::uint64_t>() == 0);
  CHECK(in.stopped().reason == StopReason::need_more);
  CHECK(in.stopped().where == ByteRange{108, 116});
  CHECK(in.stopped().wanted_end == 116);
}

TEST_CASE("sizes near 2^64 cannot wrap a bound") {
  constexpr std::uint64_t kHuge = 0xFFFFFFFFFFFFFFFF;
  Cursor bytes = over("0123456789");
  bytes.skip(5);
  CHECK(bytes.read_bytes(kHuge).empty());
  CHECK(bytes.stopped().reason == StopReason::file_ends);
  Cursor skipping = over("0123456789");
  skipping.skip(5);
  skipping.skip(kHuge - 4);
  CHECK(skipping.offset() == 5);
  CHECK(skipping.stopped().reason == StopReason::file_ends);
  Cursor text = over("\xff\xff\xff\xff\xff\xff\xff\xff text");
  CHECK(text.read_string().empty());
  CHECK(text.stopped().reason == StopReason::string_past_end);
  CHECK(text.stopped().where == ByteRange{0, 8});
  CHECK(text.stopped().value == kHuge);
  CHECK(text.stopped().allowed == 5);
}

TEST_CASE("a string may be empty, may fill the rest, and may not be one byte longer") {
  const std::string empty(8, '\0');
  Cursor first = over(empty);
  CHECK(first.read_string().empty());
  CHECK(first.ok());
  const std::string whole = std::string("\3\0\0\0\0\0\0\0abc", 11);
  Cursor second = over(whole);
  CHECK(second.read_string() == "abc");
  CHECK(second.remaining() == 0);
  const std::string_view cut = std::string_view(whole).substr(0, 10);
  Cursor third = over(cut);
  CHECK(third.read_string().empty());
  CHECK(third.stopped().reason == StopReason::string_past_end);
  CHECK(third.stopped().allowed == 2);
  const std::string_view cut_length = std::string_view(whole).substr(0, 7);
  Cursor fourth = over(cut_length);
  CHECK(fourth.read_string().empty());
  CHECK(fourth.stopped().reason == StopReason::file_ends);
  CHECK(fourth.stopped().where == ByteRange{0, 7});
}

TEST_CASE("a long string asks for the window it needs") {
  const std::string head("\x64\0\0\0\0\0\0\0", 8);
  Cursor in(as_bytes(head), 200, ByteOrder::little);
  CHECK(in.read_string().empty());
  CHECK(in.stopped().reason == StopReason::need_more);
  CHECK(in.stopped().wanted_end == 108);
}

TEST_CASE("advance takes back what a loop walked, never past the window") {
  Cursor in = over("0123456789");
  in.skip(2);
  CHECK(as_text(in.window_rest()) == "23456789");
  in.advance(3);
  CHECK(in.offset() == 5);
  in.advance(100);
  CHECK(in.offset() == 10);
}

}  // namespace ggufvet
