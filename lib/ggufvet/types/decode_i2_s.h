// BitNet I2_S: 2-bit codes of a whole tensor, then one f32 scale and 28 bytes of padding. Three builds write
// three orders under the same id and size, and no field tells them apart: the order is part of the layout
// label. The reference's forks have no decoder for orders 2 and 3; the orders come from the packers'
// descriptions.
#pragma once

#include "ggufvet/types/decode.h"

namespace ggufvet {

// Elements in all must be a multiple of 128, or 64; the third order needs rows in groups of four.
[[nodiscard]] bool i2_s_x86_fits(std::uint64_t row_elements, std::uint64_t rows);
[[nodiscard]] bool i2_s_arm_fits(std::uint64_t row_elements, std::uint64_t rows);
[[nodiscard]] bool i2_s_1x4_fits(std::uint64_t row_elements, std::uint64_t rows);

// tensor: row_elements * rows / 4 + 32 bytes. Code c is scale * (c - 1); no encoder writes code 3, which
// gives 2 * scale.
void decode_i2_s_x86(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out);
void decode_i2_s_arm(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out);
void decode_i2_s_1x4(const std::byte* tensor, std::uint64_t row_elements, std::uint64_t rows, ByteOrder order,
                     float* out);

}  // namespace ggufvet
