#include "ggufvet/types/decode_i2_s.h"

#include "ggufvet/base/checked.h"
#include "ggufvet/types/decode_blocks.h"

namespace ggufvet {
namespace {

struct ScaledCodes {
  float values[4] = {};
};

ScaledCodes scaled_codes(const std::byte* trailer, ByteOrder order) {
  const float scale = read_f32(block_at<F32Field>(trailer, 0), order);
  ScaledCodes codes;
  for (int code = 0; code < 4; ++code) codes.values[code] = scale * as_float(code - 1);
  return codes;
}

// Four codes a byte, the first in the top bits.
unsigned code_at(std::byte codes, int index) {
  return (std::to_integer<unsigned>(codes) >> (6 - 2 * index)) & 3u;
}

// Byte j of a group of `stride` bytes holds elements j, stride + j, 2 * stride + j, 3 * stride + j.
void decode_strided(const std::byte* tensor, std::uint64_t elements, std::uint64_t stride, ByteOrder order,
                    float* out) {
  const ScaledCodes codes = scaled_codes(tensor + elements / 4, order);
  for (std::uint64_t group = 0; group < elements / (4 * stride); ++group)
    for (int lane = 0; lane < 4; ++lane)
      for (std::uint64_t j = 0; j < stride; ++j)
        *out++ = codes.values[code_at(tensor[group * stride + j], lane)];
}

bool total_is_multiple_of(std::uint64_t row_elements, std::uint64_t rows, std::uint64_t multiple) {
  const auto elements = checked_mul(row_elements, rows);
  return elements && *elements % multiple == 0;
}

}  // namespace

bool i2_s_x86_fits(std::uint64_t row_elements, std::uint64_t rows) {
  return total_is_multiple_of(row_elements, rows, 128);
}

bool i2_s_arm_fits(std::uint64_t row_elements, std::uint64_t rows) {
  return total_is_multiple_of(row_elements, rows, 64);
}

bool i2_s_1x4_fits(std::uint64_t row_elements, std::uint64_t rows) {
  return rows % 4 == 0 && checked_mul(row_elements, rows);
}

void decode_i2_s_x86(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out) {
  decode_strided(tensor, row_elements * rows, 32, order, out);
}

void decode_i2_s_arm(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out) {
  decode_strided(tensor, row_elements * rows, 16, order, out);
}

void decode_i2_s_1x4(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out) {
  const ScaledCodes codes = scaled_codes(tensor + row_elements * rows / 4, order);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < row_elements; ++column)
      *out++ = codes.values[code_at(tensor[row / 4 * row_elements + column], static_cast<int>(row % 4))];
}

}  // namespace ggufvet
