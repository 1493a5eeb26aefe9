#include "ggufvet/types/half.h"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

using namespace ggufvet;

namespace {

constexpr std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

TEST_CASE("every fp16 value is exact in binary32 and comes back") {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(half));
    const auto exponent = static_cast<int>((half >> 10) & 31);
    const auto mantissa = static_cast<double>(half & 0x3FF);
    if (exponent == 31) {
      REQUIRE((mantissa == 0 ? std::isinf(value) : std::isnan(value)));
      if (mantissa != 0) continue;
    } else {
      const double magnitude =
          exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
      REQUIRE(static_cast<double>(std::fabs(value)) == magnitude);
    }
    REQUIRE(std::signbit(value) == (half >= 0x8000));
    REQUIRE(f32_to_f16(value) == half);
  }
}

TEST_CASE("rounding to fp16 is half to even") {
  CHECK(f32_to_f16(1.0f + 0x1p-11f) == 0x3C00);  // a tie, even below
  CHECK(f32_to_f16(1.0f + 0x3p-11f) == 0x3C02);  // a tie, even above
  CHECK(f32_to_f16(1.0f + 0x1p-11f + 0x1p-23f) == 0x3C01);
  CHECK(f32_to_f16(65519.996f) == 0x7BFF);
  CHECK(f32_to_f16(65520.0f) == 0x7C00);  // rounds up to infinity
  CHECK(f32_to_f16(0x1p-25f) == 0x0000);  // half of the smallest: even is zero
  CHECK(f32_to_f16(0x1.000002p-25f) == 0x0001);
  CHECK(f32_to_f16(-0x1.FF8p-15f) == 0x83FF);  // the largest subnormal
  CHECK(f32_to_f16(0x1.FFCp-15f) == 0x0400);   // a tie, up into the normals
  CHECK(f32_to_f16(std::bit_cast<float>(0xFFC00001u)) == 0xFE00);
}

TEST_CASE("bf16 keeps the upper half and rounds half to even") {
  CHECK(bits_of(bf16_to_f32(0x8001)) == 0x80010000u);  // a subnormal is kept
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F808000u)) == 0x3F80);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F818000u)) == 0x3F82);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x7F800001u)) == 0x7FC0);  // a NaN does not become infinity
}

TEST_CASE("power-of-two scales keep their subnormal ends") {
  CHECK(bits_of(e8m0_half_to_f32(0)) == 0x00200000u);
  CHECK(bits_of(e8m0_half_to_f32(1)) == 0x00400000u);
  CHECK(e8m0_half_to_f32(128) == 1.0f);
  CHECK(e8m0_half_to_f32(255) == 0x1p127f);
  CHECK(bits_of(e8m0_to_f32(0)) == 0x00400000u);
  CHECK(e8m0_to_f32(127) == 1.0f);
  CHECK(std::isinf(e8m0_to_f32(255)));
}

TEST_CASE("eight-bit floats at their corners") {
  CHECK(ue4m3_half_to_f32(0x7E) == 224.0f);
  CHECK(ue4m3_half_to_f32(0x7F) == 0.0f);
  CHECK(ue4m3_half_to_f32(0xFF) == 240.0f);
  CHECK(ue4m3_half_to_f32(0x01) == 0x1p-10f);
  CHECK(e4m3fn_to_f32(0x7E) == 448.0f);
  CHECK(e4m3fn_to_f32(0x81) == -0x1p-9f);
  CHECK(bits_of(e4m3fn_to_f32(0x80)) == 0x80000000u);
  CHECK(std::isnan(e4m3fn_to_f32(0xFF)));
  CHECK(e4m3_magnitude_to_f32(0x01, 8) == 0x1p-10f);
  CHECK(e4m3_magnitude_to_f32(0x47, 8) == 1.875f);
}
