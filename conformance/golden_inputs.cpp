#include "golden_inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace ggufvet::golden {
namespace {

constexpr std::uint64_t kClassRandom = 1;
constexpr std::uint64_t kClassSane = 2;

std::uint64_t start_state(std::uint64_t seed, std::uint64_t type_id, std::uint64_t class_id) {
  return seed | (type_id << 32) | (class_id << 48);
}

void fill_stream(std::vector<std::byte>& bytes, std::uint64_t state) {
  SplitMix64 stream(state);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 8) {
    std::uint64_t word = stream.next();
    for (std::size_t j = begin; j < std::min(begin + 8, bytes.size()); ++j, word >>= 8)
      bytes[j] = static_cast<std::byte>(word & 255);
  }
}

void put(std::byte* at, std::uint32_t value, int size) {
  for (int j = 0; j < size; ++j) at[j] = static_cast<std::byte>((value >> (8 * j)) & 255);
}

std::uint32_t get(const std::byte* at, int size) {
  std::uint32_t value = 0;
  for (int j = 0; j < size; ++j) value |= std::to_integer<std::uint32_t>(at[j]) << (8 * j);
  return value;
}

// IQ1_M keeps its fp16 in the high nibbles of bytes 1, 3, 5 and 7 of the field, the lowest first.
void put_scattered(std::byte* at, std::uint32_t value) {
  for (int j = 0; j < 4; ++j) {
    const std::uint32_t kept = std::to_integer<std::uint32_t>(at[2 * j + 1]) & 15;
    at[2 * j + 1] = static_cast<std::byte>(kept | (((value >> (4 * j)) & 15) << 4));
  }
}

void make_sane(std::byte* at, std::string_view kind) {
  if (kind == "f16") put(at, 0x2000u | (get(at, 2) & 0x0FFFu), 2);
  if (kind == "element_f16") put(at, 0x2000u | (get(at, 2) & 0x8FFFu), 2);
  if (kind == "element_bf16") put(at, 0x3C00u | (get(at, 2) & 0x83FFu), 2);
  if (kind == "f32") put(at, 0x3C000000u | (get(at, 4) & 0x03FFFFFFu), 4);
  if (kind == "e8m0") put(at, 0x70u | (get(at, 1) & 0x0Fu), 1);
  if (kind == "ue4m3") put(at, 0x20u | (get(at, 1) & 0x1Fu), 1);
  if (kind == "f16_scattered") at[7] = static_cast<std::byte>(0x20u | (get(at + 7, 1) & 0x0Fu));
}

// Every value of the first scale in turn; a second fp16 (a minimum) gets other values; NVFP4 takes four a
// block.
void sweep_block(std::byte* block, std::uint64_t index, const BlockShape& shape) {
  const auto count = static_cast<std::uint32_t>(index);
  for (std::size_t field = 0; field < shape.scales.size(); ++field) {
    const auto& [begin, kind] = shape.scales[field];
    std::byte* at = block + begin;
    if (kind == "f16" && field > 0)
      put(at, (count * 0x9E37u) & 0xFFFFu, 2);
    else if (kind == "f16" || kind == "element_f16" || kind == "element_bf16")
      put(at, count & 0xFFFFu, 2);
    else if (kind == "f32")
      put(at, count << 16, 4);
    else if (kind == "e8m0")
      put(at, count & 255u, 1);
    else if (kind == "ue4m3")
      put(at, (4 * count + static_cast<std::uint32_t>(field)) & 255u, 1);
    else if (kind == "f16_scattered")
      put_scattered(at, count & 0xFFFFu);
  }
}

void make_unit(std::byte* at, std::string_view kind, bool first) {
  if (kind == "f16") put(at, first ? 0x3C00u : 0x3800u, 2);
  if (kind == "f32") put(at, 0x3F800000u, 4);
  if (kind == "e8m0") put(at, 0x80u, 1);
  if (kind == "ue4m3") put(at, 0x40u, 1);
  if (kind == "f16_scattered") put_scattered(at, 0x3C00u);
}

using ForBlock = std::function<void(std::byte* block, std::uint64_t index)>;

void for_each_block(std::vector<std::byte>& bytes, const BlockShape& shape, InputSize size,
                    const ForBlock& visit) {
  for (std::uint64_t row = 0; row < size.rows; ++row)
    for (std::uint64_t block = 0; block < size.blocks; ++block)
      visit(
          bytes.data() + row * row_bytes_of(shape, size) + shape.row_header_bytes + block * shape.block_bytes,
          row * size.blocks + block);
}

void patch_headers(std::vector<std::byte>& bytes, const BlockShape& shape, InputSize size, bool unit) {
  const auto patch = [&](std::byte* at, std::string_view kind) {
    if (unit)
      make_unit(at, kind, true);
    else
      make_sane(at, kind);
  };
  if (shape.row_header_bytes != 0)
    for (std::uint64_t row = 0; row < size.rows; ++row)
      patch(bytes.data() + row * row_bytes_of(shape, size), shape.row_scale);
  if (shape.tensor_trailer_bytes != 0)
    patch(bytes.data() + size.rows * row_bytes_of(shape, size), shape.tensor_scale);
}

void fill_codes_17(std::vector<std::byte>& bytes) {
  for (std::size_t j = 0; j < bytes.size(); ++j) bytes[j] = static_cast<std::byte>((j * 17) & 255);
}

void swap_run(std::byte* at, std::uint64_t unit, std::uint64_t count) {
  for (std::uint64_t j = 0; j < count; ++j) std::reverse(at + j * unit, at + (j + 1) * unit);
}

float edge_value(std::uint64_t row, std::uint64_t index) {
  const auto i = static_cast<int>(index);
  switch (row) {
    case 0:
      return 0.0f;
    case 1:
      return 1.0f;
    case 2:
      return -1.0f;
    case 3:
      return i % 2 == 0 ? 1.0f : -1.0f;
    case 4:
      return static_cast<float>((i & 255) - 128) / 128.0f;
    case 5:
      return std::ldexp(static_cast<float>(i % 7 - 3), -100);
    case 6:
      return i % 32 == 0 ? 1.0f : 0.0f;
    default:
      return std::ldexp(static_cast<float>(i % 15 - 7), -10);
  }
}

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t row_bytes_of(const BlockShape& shape, InputSize size) {
  return shape.row_header_bytes + size.blocks * shape.block_bytes;
}

std::uint64_t total_bytes_of(const BlockShape& shape, InputSize size) {
  return size.rows * row_bytes_of(shape, size) + shape.tensor_trailer_bytes;
}

std::vector<std::byte> make_blocks(const BlockShape& shape, std::string_view class_name, std::uint64_t seed,
                                   InputSize size) {
  std::vector<std::byte> bytes(total_bytes_of(shape, size));
  if (class_name == "random") {
    fill_stream(bytes, start_state(seed, shape.type_id, kClassRandom));
  } else if (class_name == "sane") {
    fill_stream(bytes, start_state(seed, shape.type_id, kClassSane));
    for_each_block(bytes, shape, size, [&](std::byte* block, std::uint64_t) {
      for (const ScaleField& field : shape.scales) make_sane(block + field.begin, field.kind);
    });
    patch_headers(bytes, shape, size, false);
  } else if (class_name == "scale_sweep") {
    fill_codes_17(bytes);
    for_each_block(bytes, shape, size,
                   [&](std::byte* block, std::uint64_t index) { sweep_block(block, index, shape); });
    patch_headers(bytes, shape, size, true);
  } else if (class_name == "codes_17") {
    fill_codes_17(bytes);
    for_each_block(bytes, shape, size, [&](std::byte* block, std::uint64_t) {
      for (std::size_t field = 0; field < shape.scales.size(); ++field)
        make_unit(block + shape.scales[field].begin, shape.scales[field].kind, field == 0);
    });
    patch_headers(bytes, shape, size, true);
  } else if (class_name.starts_with("fill_")) {
    const unsigned long value = std::stoul(std::string(class_name.substr(5)), nullptr, 16);
    std::ranges::fill(bytes, static_cast<std::byte>(value & 255));
  } else {
    return {};
  }
  return bytes;
}

void swap_wide_fields(std::vector<std::byte>& bytes, const BlockShape& shape, InputSize size) {
  for_each_block(bytes, shape, size, [&](std::byte* block, std::uint64_t) {
    for (const WideField& field : shape.wide_fields) swap_run(block + field.begin, field.unit, field.count);
  });
  if (shape.row_header_bytes != 0)
    for (std::uint64_t row = 0; row < size.rows; ++row)
      swap_run(bytes.data() + row * row_bytes_of(shape, size), shape.row_header_bytes, 1);
  if (shape.tensor_trailer_bytes != 0) swap_run(bytes.data() + size.rows * row_bytes_of(shape, size), 4, 1);
}

std::vector<float> make_rows(std::string_view rows_of, std::uint64_t seed, std::uint64_t rows,
                             std::uint64_t row_elements) {
  std::vector<float> values(rows * row_elements);
  const std::uint64_t kind = rows_of == "uniform" ? 1 : rows_of == "hall4" ? 2 : rows_of == "outlier" ? 3 : 0;
  if (rows_of == "edge") {
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j] = edge_value(j / row_elements, j % row_elements);
    return values;
  }
  if (kind == 0) return {};
  SplitMix64 stream(start_state(seed, 0, kind));
  const auto draw = [&] { return static_cast<std::int64_t>(stream.next() >> 40); };
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (kind == 2) {
      const std::int64_t sum = draw() + draw() + draw() + draw();
      values[j] = static_cast<float>(sum - (std::int64_t{1} << 25)) * 0x1p-25f;
    } else {
      values[j] = static_cast<float>(draw()) * 0x1p-23f - 1.0f;
      if (kind == 3 && j % 97 == 0) values[j] *= 64.0f;
    }
  }
  return values;
}

}  // namespace ggufvet::golden
