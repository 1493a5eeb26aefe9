#include "ggufvet/types/decode_table.h"

#include <bit>
#include <cstring>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/types/block_layouts_forks.h"
#include "ggufvet/types/codebooks.h"
#include "ggufvet/types/simd_dispatch.h"

using namespace ggufvet;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

TEST_CASE("a label without a decoder has none, and none is invented") {
  CHECK(find_codec("q4_2") == nullptr);
  CHECK(find_codec("") == nullptr);
  CHECK(find_decoder("turbo3_0") == nullptr);
  CHECK(find_quantizer("iq1_m") == nullptr);
  REQUIRE(find_codec("q8_1") != nullptr);
  CHECK(find_codec("q8_1")->decode == nullptr);
  CHECK(find_decoder("q8_1") == nullptr);
  CHECK(find_quantizer("q8_1") != nullptr);
}

TEST_CASE("every row of the table is whole") {
  for (const Codec& codec : codecs()) {
    CAPTURE(codec.label);
    CHECK(find_codec(codec.label) == &codec);
    CHECK(codec.block_elements > 0);
    CHECK(codec.block_bytes > 0);
    CHECK((codec.decode != nullptr || codec.decode_tensor != nullptr || codec.quantize != nullptr));
    CHECK((codec.decode_tensor == nullptr) == (codec.shape_fits == nullptr));
    CHECK(!(codec.quantizer_stable && codec.quantize == nullptr));
    if (codec.reference_has_from_float && codec.quantize != nullptr && !codec.quantizer_stable)
      CHECK(!codec.quantizer_note.empty());
    if (has_vector_decoders() && codec.decode == nullptr) CHECK(find_vector_decoder(codec.label) == nullptr);
  }
}

TEST_CASE("Q4_0: low nibbles first, eight subtracted, a big-endian file swaps the scale alone") {
  auto block = bytes_of({0x00, 0x3C, 0x80, 0xF7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  float out[32];
  find_codec("q4_0")->decode(block.data(), 32, ByteOrder::little, out);
  CHECK(out[0] == -8.0f);
  CHECK(out[1] == -1.0f);
  CHECK(out[16] == 0.0f);
  CHECK(out[17] == 7.0f);
  std::swap(block[0], block[1]);
  float swapped[32];
  find_decoder("q4_0")(block.data(), 32, ByteOrder::big, swapped);
  CHECK(std::memcmp(out, swapped, sizeof out) == 0);
}

TEST_CASE("zero times a negative scale is -0") {
  const auto block = bytes_of({0x00, 0xBC, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88,
                               0x88, 0x88, 0x88, 0x88, 0x88});
  float out[32];
  find_decoder("q4_0")(block.data(), 32, ByteOrder::little, out);
  for (const float value : out) CHECK(bits_of(value) == 0x80000000u);
}

TEST_CASE("a row header is read once and applies to all blocks") {
  std::vector<std::byte> row(4 + 2 * sizeof(BlockIq2Bn),
                             std::byte{0x55});                       // code 1 everywhere but for what follows
  store<std::uint32_t>(row.data(), 0x40000000u, ByteOrder::little);  // 2.0
  row[4] = std::byte{0xE4};  // codes 0, 1, 2, 3 for elements 0, 16, 32, 48
  row[4 + sizeof(BlockIq2Bn)] = std::byte{0xE4};
  float out[128];
  find_decoder("iq2_bn")(row.data(), 128, ByteOrder::little, out);
  for (int block = 0; block < 2; ++block) {
    CHECK(out[64 * block] == -2.0f);
    CHECK(bits_of(out[64 * block + 16]) == 0);
    CHECK(out[64 * block + 32] == 2.0f);
    CHECK(out[64 * block + 48] == 4.0f);
  }
}

TEST_CASE("BitNet's three orders read the same bytes differently") {
  std::vector<std::byte> tensor(128 / 4 * 4 + 32);
  tensor[0] = std::byte{0x1B};  // codes 0, 1, 2, 3 from the top
  store<std::uint32_t>(tensor.data() + 128, 0x3F800000u, ByteOrder::little);
  const auto positions_of = [&](const char* label) {
    const Codec* codec = find_codec(label);
    REQUIRE(codec != nullptr);
    REQUIRE(codec->shape_fits(128, 4));
    std::vector<float> values(512);
    codec->decode_tensor(tensor.data(), 128, 4, ByteOrder::little, values.data());
    std::vector<int> positions;  // every other code in the tensor is 0, that is -1
    for (int index = 0; index < 512; ++index)
      if (values[static_cast<std::size_t>(index)] != -1.0f) positions.push_back(index);
    return positions;
  };
  CHECK(positions_of("i2_s_x86") == std::vector<int>{32, 64, 96});
  CHECK(positions_of("i2_s_arm") == std::vector<int>{16, 32, 48});
  CHECK(positions_of("i2_s_1x4") == std::vector<int>{128, 256, 384});
  CHECK_FALSE(find_codec("i2_s_1x4")->shape_fits(128, 3));
  CHECK_FALSE(find_codec("i2_s_x86")->shape_fits(96, 1));
  CHECK_FALSE(find_codec("i2_s_x86")->shape_fits(UINT64_MAX, 128));
}

TEST_CASE("the packed grid holds the rows of the wide one") {
  for (int row = 0; row < 2048; ++row)
    for (int j = 0; j < 8; ++j)
      REQUIRE(((kGridIq1Packed[row] >> (2 * j)) & 3) - 1 == grid_element(kGridIq1[row], j));
}

TEST_CASE("quantisers survive floats that no weight should be") {
  std::vector<float> values(256);
  const float odd[] = {std::bit_cast<float>(0x7FC00000u), std::bit_cast<float>(0xFF800000u), 3.4e38f, -1e-45f,
                       0.0f};
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = odd[j % 5];
  for (const Codec& codec : codecs()) {
    if (codec.quantize == nullptr) continue;
    CAPTURE(codec.label);
    const std::size_t bytes = 256 / codec.block_elements * codec.block_bytes;
    std::vector<std::byte> first(bytes, std::byte{0xA5}), second(bytes, std::byte{0x5A});
    codec.quantize(values.data(), 256, first.data());
    codec.quantize(values.data(), 256, second.data());
    CHECK(first == second);  // every byte is written, and the same way
  }
}
