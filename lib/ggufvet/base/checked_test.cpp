#include "ggufvet/base/checked.h"

#include <array>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/byte_range.h"

namespace ggufvet {
namespace {

constexpr std::uint64_t kMax = 0xFFFFFFFFFFFFFFFF;

}  // namespace

TEST_CASE("sums and products are exact or nothing, up to the last bit") {
  CHECK(checked_add(kMax, 0) == kMax);
  CHECK(checked_add(kMax - 1, 1) == kMax);
  CHECK_FALSE(checked_add(kMax, 1).has_value());
  CHECK_FALSE(checked_add(kMax, kMax).has_value());
  CHECK(checked_mul(kMax, 1) == kMax);
  CHECK(checked_mul(kMax, 0) == 0U);
  CHECK(checked_mul(0xFFFFFFFF, 0x100000001) == kMax);
  CHECK_FALSE(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32).has_value());
  CHECK_FALSE(checked_mul(kMax, 2).has_value());
}

TEST_CASE("padding takes any multiple and overflows to nothing") {
  CHECK(pad_to_multiple(0, 32) == 0U);
  CHECK(pad_to_multiple(1, 32) == 32U);
  CHECK(pad_to_multiple(32, 32) == 32U);
  CHECK(pad_to_multiple(33, 24) == 48U);
  CHECK(pad_to_multiple(kMax - 31, 32) == kMax - 31);
  CHECK_FALSE(pad_to_multiple(kMax - 30, 32).has_value());
  CHECK(pad_to_multiple(5, kMax) == kMax);
}

TEST_CASE("blocks, divisions and powers say which kind they are") {
  CHECK(blocks_exact(64, 32) == 2U);
  CHECK(blocks_exact(0, 32) == 0U);
  CHECK_FALSE(blocks_exact(33, 32).has_value());
  CHECK_FALSE(blocks_exact(32, 0).has_value());
  CHECK(ceil_div(0, 7) == 0);
  CHECK(ceil_div(7, 7) == 1);
  CHECK(ceil_div(8, 7) == 2);
  CHECK(ceil_div(kMax, 2) == (std::uint64_t{1} << 63));
  CHECK_FALSE(is_power_of_two(0));
  CHECK(is_power_of_two(1));
  CHECK(is_power_of_two(std::uint64_t{1} << 63));
  CHECK_FALSE(is_power_of_two(24));
}

TEST_CASE("integers are loaded and stored in the order that is asked for, at odd addresses too") {
  std::array<std::byte, 9> bytes{};
  store<std::uint64_t>(bytes.data() + 1, 0x0102030405060708, ByteOrder::big);
  CHECK(bytes[1] == std::byte{1});
  CHECK(bytes[8] == std::byte{8});
  CHECK(load<std::uint64_t>(bytes.data() + 1, ByteOrder::big) == 0x0102030405060708);
  CHECK(load_little<std::uint64_t>(bytes.data() + 1) == 0x0807060504030201);
  CHECK(load<std::uint32_t>(bytes.data() + 1, ByteOrder::big) == 0x01020304);
  CHECK(load_little<std::uint16_t>(bytes.data() + 1) == 0x0201);
  CHECK(load<std::uint8_t>(bytes.data() + 1, ByteOrder::big) == 1);
}

TEST_CASE("ranges are half open") {
  constexpr ByteRange outer{8, 16};
  STATIC_REQUIRE(outer.size() == 8);
  STATIC_REQUIRE(outer.contains({8, 16}));
  STATIC_REQUIRE(outer.contains({16, 16}));
  STATIC_REQUIRE_FALSE(outer.contains({7, 8}));
  STATIC_REQUIRE_FALSE(outer.contains({15, 17}));
  STATIC_REQUIRE(ByteRange{3, 3}.empty());
}

}  // namespace ggufvet
