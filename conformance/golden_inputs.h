// The inputs of the golden vectors, made from the parameters a vector names. What the classes mean is written
// down in golden/README.md; both sides of a comparison must be able to make the same bytes without our code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/base/byte_order.h"

namespace ggufvet::golden {

struct ScaleField {
  std::uint64_t begin = 0;
  std::string kind;  // f16, f32, e8m0, ue4m3, f16_scattered, element_f16, element_bf16
};

// `count` integers of `unit` bytes each, which a big-endian file stores swapped.
struct WideField {
  std::uint64_t begin = 0;
  std::uint64_t unit = 0;
  std::uint64_t count = 0;
};

struct BlockShape {
  std::uint64_t type_id = 0;
  std::uint64_t block_elements = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t row_header_bytes = 0;
  std::uint64_t tensor_trailer_bytes = 0;
  std::string row_scale;     // f16 or f32 when there is a row header
  std::string tensor_scale;  // f32 when there is a trailer
  std::vector<ScaleField> scales;
  std::vector<WideField> wide_fields;
};

struct InputSize {
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;  // in a row
};

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::uint64_t row_bytes_of(const BlockShape& shape, InputSize size);
[[nodiscard]] std::uint64_t total_bytes_of(const BlockShape& shape, InputSize size);

// class_name: random, sane, scale_sweep, codes_17 or fill_XX. Empty for any other.
[[nodiscard]] std::vector<std::byte> make_blocks(const BlockShape& shape, std::string_view class_name,
                                                 std::uint64_t seed, InputSize size);

// The same content as a big-endian file holds it.
void swap_wide_fields(std::vector<std::byte>& bytes, const BlockShape& shape, InputSize size);

// rows_of: uniform, hall4, outlier or edge. Empty for any other.
[[nodiscard]] std::vector<float> make_rows(std::string_view rows_of, std::uint64_t seed, std::uint64_t rows,
                                           std::uint64_t row_elements);

}  // namespace ggufvet::golden
