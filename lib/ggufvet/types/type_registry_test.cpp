// The tables are not tested against a copy of themselves. What is stated here was measured from the real
// libraries, computed by hand from a formula, or must hold of any such table.
#include "ggufvet/types/type_registry.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/types/value_type.h"

namespace ggufvet {
namespace {

using Shape = std::array<std::uint64_t, 4>;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kTwoTo32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kTwoTo62 = std::uint64_t{1} << 62;
constexpr std::uint64_t kTwoTo63 = std::uint64_t{1} << 63;

struct Traits {
  std::uint32_t id;
  std::string_view name;  // empty: the library has given the number up
  std::uint32_t block_elements;
  std::uint32_t block_bytes;
  std::uint32_t row_header_bytes;
};

// The type table of ggml d99724f2, printed by the library itself.
constexpr Traits kMeasuredGgml[] = {
    {0, "f32", 1, 4, 0},
    {1, "f16", 1, 2, 0},
    {2, "q4_0", 32, 18, 0},
    {3, "q4_1", 32, 20, 0},
    {4, "", 0, 0, 0},
    {5, "", 0, 0, 0},
    {6, "q5_0", 32, 22, 0},
    {7, "q5_1", 32, 24, 0},
    {8, "q8_0", 32, 34, 0},
    {9, "q8_1", 32, 36, 0},
    {10, "q2_K", 256, 84, 0},
    {11, "q3_K", 256, 110, 0},
    {12, "q4_K", 256, 144, 0},
    {13, "q5_K", 256, 176, 0},
    {14, "q6_K", 256, 210, 0},
    {15, "q8_K", 256, 292, 0},
    {16, "iq2_xxs", 256, 66, 0},
    {17, "iq2_xs", 256, 74, 0},
    {18, "iq3_xxs", 256, 98, 0},
    {19, "iq1_s", 256, 50, 0},
    {20, "iq4_nl", 32, 18, 0},
    {21, "iq3_s", 256, 110, 0},
    {22, "iq2_s", 256, 82, 0},
    {23, "iq4_xs", 256, 136, 0},
    {24, "i8", 1, 1, 0},
    {25, "i16", 1, 2, 0},
    {26, "i32", 1, 4, 0},
    {27, "i64", 1, 8, 0},
    {28, "f64", 1, 8, 0},
    {29, "iq1_m", 256, 56, 0},
    {30, "bf16", 1, 2, 0},
    {31, "", 0, 0, 0},
    {32, "", 0, 0, 0},
    {33, "", 0, 0, 0},
    {34, "tq1_0", 256, 54, 0},
    {35, "tq2_0", 256, 66, 0},
    {36, "", 0, 0, 0},
    {37, "", 0, 0, 0},
    {38, "", 0, 0, 0},
    {39, "mxfp4", 32, 17, 0},
    {40, "nvfp4", 64, 36, 0},
    {41, "q1_0", 128, 18, 0},
    {42, "q2_0", 64, 18, 0},
};

// The same of ik_llama.cpp 8337e4cd, for what differs from mainline (I2_S is sized by a formula there).
constexpr Traits kMeasuredIkLlama[] = {
    {15, "q8_K", 256, 296, 0},       {39, "mxfp4", 32, 17, 0},        {41, "q1_0_g128", 128, 18, 0},
    {97, "q8_0_x4", 32, 34, 0},      {98, "q8_1_x4", 32, 36, 0},      {99, "q8_2_x4", 32, 36, 0},
    {133, "q6_0", 32, 26, 0},        {134, "iq1_bn", 64, 13, 2},      {135, "iq2_bn", 64, 16, 4},
    {136, "q8_K64", 64, 68, 0},      {137, "iq2_k", 256, 76, 0},      {138, "iq3_k", 256, 110, 0},
    {139, "iq4_k", 256, 144, 0},     {140, "iq5_k", 256, 176, 0},     {141, "iq6_k", 256, 212, 0},
    {144, "iq4_ks", 256, 136, 4},    {145, "iq2_ks", 256, 70, 2},     {146, "iq4_kss", 256, 128, 4},
    {147, "q8_K16", 64, 64, 20},     {148, "q8_K32", 256, 296, 0},    {149, "q8_KR8", 256, 296, 0},
    {150, "q8_K128", 128, 140, 0},   {151, "q8_KV", 32, 32, 8},       {152, "iq5_ks", 256, 168, 4},
    {153, "iq2_kt", 256, 68, 4},     {154, "iq3_kt", 256, 100, 4},    {155, "iq4_kt", 256, 128, 4},
    {156, "iq3_ks", 256, 102, 2},    {157, "iq2_kl", 256, 86, 2},     {158, "iq1_kt", 256, 56, 4},
    {202, "q4_0_r8", 32, 18, 0},     {206, "q5_0_r4", 32, 22, 0},     {208, "q8_0_r8", 32, 34, 0},
    {210, "q2_k_r4", 256, 84, 0},    {211, "q3_k_r4", 256, 110, 0},   {212, "q4_k_r4", 256, 144, 0},
    {213, "q5_k_r4", 256, 176, 0},   {214, "q6_k_r4", 256, 210, 0},   {216, "iq2_xxs_r4", 256, 66, 0},
    {217, "iq2_xs_r4", 256, 74, 0},  {218, "iq3_xxs_r4", 256, 98, 0}, {219, "iq1_s_r4", 32, 6, 2},
    {220, "iq4_nl_r4", 32, 18, 0},   {221, "iq3_s_r4", 256, 110, 0},  {222, "iq2_s_r4", 256, 82, 0},
    {223, "iq4_xs_r8", 256, 136, 0}, {229, "iq1_m_r4", 32, 7, 2},     {230, "bf16_r16", 1, 2, 0},
    {233, "q6_0_r4", 32, 26, 0},     {335, "iq2_bn_r4", 64, 16, 4},   {337, "iq2_k_r4", 256, 76, 0},
    {338, "iq3_k_r4", 256, 110, 0},  {339, "iq4_k_r4", 256, 144, 0},  {340, "iq5_k_r4", 256, 176, 0},
    {344, "iq4_ks_r4", 256, 136, 4}, {352, "iq5_ks_r4", 256, 168, 4}, {353, "mxfp4_r8", 32, 17, 0},
    {397, "q8_k_r16", 256, 258, 0},  {398, "q8_KV_r8", 32, 32, 4},    {399, "q8_k_r8", 256, 258, 0},
};

const TypeInfo& type_of(DialectId dialect, std::string_view name) {
  const TypeInfo* type = find_type(dialect, name);
  REQUIRE(type != nullptr);
  return *type;
}

std::optional<std::uint64_t> bytes_of(DialectId dialect, std::string_view name, Shape shape) {
  return tensor_bytes(*type_of(dialect, name).layout, shape);
}

void check_traits(DialectId dialect, const Traits& traits) {
  CAPTURE(traits.id);
  const TypeInfo* type = find_type(dialect, traits.id);
  REQUIRE(type != nullptr);
  CHECK(find_type(dialect, traits.name) == type);
  CHECK(type->status == TypeStatus::active);
  CHECK(type->layout->block_elements == traits.block_elements);
  CHECK(type->layout->block_bytes == traits.block_bytes);
  CHECK(type->layout->row_header_bytes == traits.row_header_bytes);
  const std::uint64_t one_row = std::uint64_t{traits.row_header_bytes} + traits.block_bytes;
  CHECK(row_bytes(*type->layout, traits.block_elements) == one_row);
}

std::set<std::string_view> labels_claimed(std::uint32_t id) {
  std::set<std::string_view> labels;
  for (const TypeInfo* claim : claims_of(id)) labels.insert(claim->layout->label);
  return labels;
}

}  // namespace

TEST_CASE("value types have the sizes of the format document") {
  CHECK(kValueTypes.size() == 13);
  CHECK(find_value_type(0)->name == "u8");
  CHECK(find_value_type(7)->bytes == 1);
  CHECK(find_value_type(8)->bytes == 0);
  CHECK(find_value_type(9)->bytes == 0);
  CHECK(find_value_type(12)->name == "f64");
  CHECK(find_value_type(12)->bytes == 8);
  CHECK(find_value_type(13) == nullptr);
  CHECK(find_value_type(0xFFFFFFFFU) == nullptr);
  CHECK(find_value_type("bool")->type == ValueType::boolean);
  CHECK(find_value_type("boolean") == nullptr);
  CHECK(value_type_info(ValueType::i64).bytes == 8);
}

TEST_CASE("mainline types have the names and sizes the library reports") {
  CHECK(known_type_count(DialectId::ggml) == std::size(kMeasuredGgml));
  for (const Traits& traits : kMeasuredGgml) {
    if (!traits.name.empty()) {
      check_traits(DialectId::ggml, traits);
      continue;
    }
    CAPTURE(traits.id);
    REQUIRE(find_type(DialectId::ggml, traits.id) != nullptr);
    CHECK(find_type(DialectId::ggml, traits.id)->status == TypeStatus::retired);
  }
  CHECK(find_type(DialectId::ggml, 43) == nullptr);
  CHECK(find_type(DialectId::ggml, 0xFFFFFFFFU) == nullptr);
}

TEST_CASE("ik_llama types have the names and sizes the library reports, row headers included") {
  for (const Traits& traits : kMeasuredIkLlama) check_traits(DialectId::ik_llama, traits);
  for (const std::uint32_t id : {34U, 35U, 37U, 38U, 40U, 42U, 43U, 142U, 143U, 400U})
    CHECK(find_type(DialectId::ik_llama, id) == nullptr);
}

TEST_CASE("the ids that mean different bytes are these 44") {
  const std::vector<std::uint16_t> expected = {
      4,  9,  15, 16, 17, 18, 19, 20, 21, 22, 23, 30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,
      41, 42, 43, 44, 45, 46, 47, 48, 49, 98, 99, 107, 134, 135, 142, 143, 151, 152, 153, 202, 208, 223};
  const auto found = conflicts();
  CHECK(std::vector<std::uint16_t>(found.begin(), found.end()) == expected);
  CHECK(expected.size() == 44);
  CHECK(is_conflicting(42));
  CHECK_FALSE(is_conflicting(12));
  CHECK_FALSE(is_conflicting(43000));
}

TEST_CASE("id 42: claims of published files, of proposals and of caches stand side by side") {
  const auto labels = labels_claimed(42);
  for (const std::string_view label : {"q2_0_g64", "q2_0_g128", "stq1_0", "f8_e4m3_b128", "e4m3_b32",
                                       "iq2_tn_v0", "tl2", "turbo2_0", "turbo3_0_g32", "tbq3_0", "q1_0_g32"})
    CHECK(labels.contains(label));
  CHECK(claims_of(42).size() == 20);
  CHECK(claims_of(42).front()->dialect == DialectId::ggml);
  const Shape shape = {256, 4, 1, 1};
  CHECK(tensor_bytes(*find_type(DialectId::ggml, 42)->layout, shape) == 4 * 4 * 18);
  CHECK(tensor_bytes(*find_type(DialectId::prism_legacy, 42)->layout, shape) == 4 * 2 * 34);
  CHECK(tensor_bytes(*find_type(DialectId::prism, 42)->layout, shape) == 4 * 4 * 18);
  CHECK(tensor_bytes(*find_type(DialectId::stq, 42)->layout, shape) == 4 * 42);
  CHECK(tensor_bytes(*find_type(DialectId::nisparks_f8, 42)->layout, shape) == 4 * 2 * 129);
  CHECK(tensor_bytes(*find_type(DialectId::ggml_e4m3, 42)->layout, shape) == 4 * 8 * 34);
  CHECK_FALSE(find_type(DialectId::hifi, 42)->layout->known());
  CHECK(tensor_bytes(*find_type(DialectId::hifi, 42)->layout, shape) == std::nullopt);
}

TEST_CASE("layouts of one size under one id are recognised, and only those") {
  const auto layout = [](DialectId dialect, std::uint32_t id) { return find_type(dialect, id)->layout; };
  CHECK(sizes_agree(*layout(DialectId::rocmfpx, 107), *layout(DialectId::rocmfpx_affine, 107)));
  CHECK(layout(DialectId::rocmfpx, 107) != layout(DialectId::rocmfpx_affine, 107));
  CHECK(sizes_agree(*layout(DialectId::bitnet, 36), *layout(DialectId::bitnet_arm, 36)));
  CHECK(sizes_agree(*layout(DialectId::ik_llama, 202), *layout(DialectId::ik_llama_2024_12, 202)));
  CHECK_FALSE(sizes_agree(*layout(DialectId::ggml, 42), *layout(DialectId::prism_legacy, 42)));
  CHECK_FALSE(sizes_agree(*layout(DialectId::ik_llama, 134), *layout(DialectId::ik_llama_2024_10, 134)));
  // Two unknown sizes do not agree: nothing is known of either.
  CHECK_FALSE(sizes_agree(*layout(DialectId::nf4dq, 43), *layout(DialectId::eoq, 43)));
  // Blocks of another width, the same bytes a weight.
  CHECK(sizes_agree(*find_layout("turbo4_0_66"), *find_layout("tbq4_1")));
  CHECK(sizes_agree(*find_layout("f32"), *find_layout("i32")));
}

TEST_CASE("an alias has another name or number and the same layout") {
  const auto has = [](std::string_view label, DialectId dialect, std::string_view name) {
    return std::ranges::any_of(aliases_of(*find_layout(label)), [&](const TypeInfo* type) {
      return type->dialect == dialect && type->name == name;
    });
  };
  CHECK(has("q1_0_g128", DialectId::ggml, "Q1_0"));
  CHECK(has("q1_0_g128", DialectId::ik_llama, "Q1_0_G128"));
  CHECK(has("q1_0_g128", DialectId::prism_v1, "Q1_0_g128"));
  CHECK_FALSE(has("q1_0_g128", DialectId::prism_v1, "Q1_0"));  // groups of 32
  CHECK(has("q2_0_g128", DialectId::prism_legacy, "Q2_0"));
  CHECK(has("q2_0_g128", DialectId::prism, "PQ2_0"));
  CHECK(has("iq4_nl_r4", DialectId::ik_llama_2024_12, "IQ4_NL_X4"));
  CHECK(aliases_of(*find_layout("q1_0_g128")).front()->dialect == DialectId::ggml);
}

TEST_CASE("143, 41 and 4 mean what their dialects say") {
  CHECK(labels_claimed(143) == std::set<std::string_view>{"iq1_tn", "ptq1_0"});
  CHECK(bytes_of(DialectId::prism, "PTQ1_0", {256, 3, 1, 1}) == 3 * 2 * 28);
  CHECK(find_type(DialectId::ik_llama_2024_10, 143)->status == TypeStatus::retired);
  CHECK(find_type(DialectId::ik_llama, 143) == nullptr);
  CHECK(find_type(DialectId::ggml, 41)->layout == find_type(DialectId::ik_llama, 41)->layout);
  CHECK(find_type(DialectId::ollama_2025_08, 4)->name == "MXFP4");
  CHECK(bytes_of(DialectId::ollama_2025_08, "MXFP4", {32, 1, 1, 1}) == 17);
  CHECK(find_type(DialectId::ollama, 4)->status == TypeStatus::retired);
  CHECK(find_layout("mxfp4_ollama") != find_layout("mxfp4"));
}

TEST_CASE("BitNet tensors are sized as a whole") {
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {128, 2, 1, 1}) == 64 + 32);
  CHECK(bytes_of(DialectId::bitnet, "TL1", {128, 2, 1, 1}) == 64 + 32);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {2, 2, 3, 1}) == 3 + 32);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {3, 1, 1, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {2, 1, 3, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {0, kMax, kMax, 1}) == 32);
  CHECK(row_bytes(*type_of(DialectId::bitnet, "I2_S").layout, 128) == std::nullopt);
  // 2944 * 8640 weights three in five bits, 256 * 8640 two in four bits: 5299200 + 552960, a multiple of 32.
  CHECK(bytes_of(DialectId::bitnet, "TL2", {3200, 8640, 1, 1}) == 5852160 + 32);
  CHECK(bytes_of(DialectId::bitnet, "TL2", {280, 1, 1, 1}) == 96 + 32);  // 5 + 64, padded
  CHECK(bytes_of(DialectId::bitnet, "TL2", {256, 1, 1, 1}) == 64 + 32);
  CHECK(bytes_of(DialectId::bitnet, "TL2", {255, 1, 1, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet, "TL2", {280, 1, 2, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet_2026, "TL2", {280, 1, 1, 1}) == 128);
  CHECK(find_type(DialectId::bitnet, 42) == nullptr);
}

TEST_CASE("t5b pads its rows one by one") {
  CHECK(bytes_of(DialectId::bitnet_t5b, "T5B", {160, 1, 1, 1}) == 32 + 32);
  CHECK(bytes_of(DialectId::bitnet_t5b, "T5B", {161, 3, 2, 1}) == 64 * 6 + 32);
  CHECK(row_bytes(*type_of(DialectId::bitnet_t5b, "T5B").layout, 161) == 64);
  CHECK(bytes_of(DialectId::bitnet_t5b, "T5B", {kMax, kMax, 1, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet_t5b, "T5B", {kMax, 4, 1, 1}) == (kMax / 160 + 1) * 128 + 32);
  CHECK(bytes_of(DialectId::bitnet_t5b, "T5B", {kMax, 5, 1, 1}) == std::nullopt);
}

TEST_CASE("a row header is counted once a row") {
  const TypeLayout& layout = *type_of(DialectId::ik_llama, "IQ4_KS").layout;
  for (const std::uint64_t blocks : {1ULL, 2ULL, 7ULL, 1000ULL})
    CHECK(row_bytes(layout, blocks * 256) == 4 + 136 * blocks);
  CHECK(tensor_bytes(layout, {768, 5, 2, 1}) == (4 + 3 * 136) * 10);
  CHECK(row_bytes(layout, 255) == std::nullopt);
  CHECK(row_bytes(layout, 0) == 0);
  CHECK(bytes_of(DialectId::ik_llama, "Q8_KV", {32, 2, 1, 1}) == (8 + 32) * 2);
  CHECK(bytes_of(DialectId::ik_llama_2024_10, "IQ1_BN", {64, 2, 1, 1}) == 13 * 2);
  CHECK(bytes_of(DialectId::ik_llama, "IQ1_BN", {64, 2, 1, 1}) == (2 + 13) * 2);
}

TEST_CASE("a size is there exactly when the bytes fit 64 bits") {
  const auto ggml = [](std::string_view name, Shape shape) { return bytes_of(DialectId::ggml, name, shape); };
  CHECK(ggml("F32", {kTwoTo62 - 1, 1, 1, 1}) == kMax - 3);
  CHECK(ggml("F32", {kTwoTo62, 1, 1, 1}) == std::nullopt);
  CHECK(ggml("I8", {kMax, 1, 1, 1}) == kMax);
  CHECK(ggml("I8", {kTwoTo63, 1, 1, 1}) == kTwoTo63);
  CHECK(ggml("I8", {kTwoTo63, 2, 1, 1}) == std::nullopt);
  CHECK(ggml("I8", {kTwoTo63 - 1, 2, 1, 1}) == kMax - 1);
  CHECK(ggml("Q4_0", {kTwoTo32, kTwoTo32, 1, 1}) == 18 * (std::uint64_t{1} << 59));
  CHECK(ggml("Q8_0", {kTwoTo32, kTwoTo32, 1, 1}) == std::nullopt);  // 34 * 2^59
  CHECK(ggml("Q1_0", {kTwoTo32, kTwoTo32, 1, 1}) ==
        18 * (std::uint64_t{1} << 57));                                        // 2^64 elements, fewer bytes
  CHECK(ggml("F32", {4194305, 4194305, 211106198978564, 1}) == std::nullopt);  // wraps to few elements
  CHECK(ggml("Q4_0", {32, kMax, kMax, kMax}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {kTwoTo32, kTwoTo32, 1, 1}) == kTwoTo62 + 32);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {kTwoTo63, 4, 1, 1}) == kTwoTo63 + 32);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {kTwoTo63, 8, 1, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {kMax - 31, 4, 1, 1}) ==
        std::nullopt);  // fits until the trailer comes
  CHECK(bytes_of(DialectId::bitnet, "I2_S", {kMax - 35, 4, 1, 1}) == kMax - 3);
  CHECK(bytes_of(DialectId::bitnet, "TL2", {kMax, kMax, 1, 1}) == std::nullopt);
}

TEST_CASE("a tensor without elements has no bytes, whatever its other dimensions are") {
  CHECK(bytes_of(DialectId::ggml, "F32", {kMax, 0, kMax, 1}) == 0);
  CHECK(bytes_of(DialectId::ggml, "Q4_0", {kMax - 31, kMax, kMax, 0}) == 0);
  CHECK(bytes_of(DialectId::ggml, "Q4_0", {0, 5, 1, 1}) == 0);
  CHECK(bytes_of(DialectId::ik_llama, "IQ4_KS", {0, 5, 1, 1}) == 0);
  CHECK(bytes_of(DialectId::ggml, "Q4_0", {33, 0, 1, 1}) == std::nullopt);
}

TEST_CASE("blocks that are not a power of two are divided, not shifted") {
  CHECK(bytes_of(DialectId::amesianx, "TBQ3_4", {576 * 3, 2, 1, 1}) == 324 * 6);
  CHECK(bytes_of(DialectId::amesianx, "TBQ3_4", {512, 2, 1, 1}) == std::nullopt);
  CHECK(bytes_of(DialectId::amesianx, "TBQ3_3", {64, 1, 1, 1}) ==
        std::nullopt);  // 64 elements of unknown size
}

TEST_CASE("dialects are found by slug and by alias, and by nothing else") {
  CHECK(find_dialect("ggml") == DialectId::ggml);
  CHECK(find_dialect("IK_LLAMA") == DialectId::ik_llama);
  CHECK(find_dialect("ik_llama.cpp") == DialectId::ik_llama);
  CHECK(find_dialect("bitnet.cpp-arm") == DialectId::bitnet_arm);
  CHECK(find_dialect("stq-early") == DialectId::stq);
  CHECK(find_dialect("prism-current") == DialectId::prism);
  CHECK(find_dialect("") == std::nullopt);
  CHECK(find_dialect("gg") == std::nullopt);
  CHECK(find_dialect("ggml ") == std::nullopt);
  for (const Dialect& row : dialects()) CHECK(find_dialect(row.slug) == row.id);
}

TEST_CASE("names are found in any case, in the dialect that has them") {
  CHECK(find_type(DialectId::ggml, "q4_k") == find_type(DialectId::ggml, 12U));
  CHECK(find_type(DialectId::ggml, "iQ2_xXs") == find_type(DialectId::ggml, 16U));
  CHECK(find_type(DialectId::ggml, "IQ4_KS") == nullptr);
  CHECK(find_type(DialectId::ggml, "") == nullptr);
  CHECK(find_type(DialectId::ik_llama, "Q4_K") == find_type(DialectId::ggml, 12U));  // inherited
  CHECK(find_type(DialectId::atomic, "Q2_0")->id == 47);
  CHECK(find_type(DialectId::prism_v1, "Q1_0")->id == 40);
}

TEST_CASE("an own row hides the inherited one, and ranges of inheritance are kept") {
  CHECK(find_type(DialectId::ik_llama, 15)->layout->block_bytes == 296);
  CHECK(find_type(DialectId::gguf_py, 9)->layout->block_bytes == 40);
  CHECK(find_type(DialectId::gguf_py, 8) == find_type(DialectId::ggml, 8));
  CHECK(find_type(DialectId::ggml_2023, 16)->name == "I8");
  CHECK(find_type(DialectId::ggml_2023, 19) == nullptr);
  CHECK(find_type(DialectId::ggml_count22, 18)->name == "IQ3_XXS");
  CHECK(find_type(DialectId::ggml_count22, 19)->name == "I8");
  CHECK(find_type(DialectId::candle, 3) != nullptr);
  CHECK(find_type(DialectId::candle, 4) == nullptr);
  CHECK(find_type(DialectId::candle, 16) == nullptr);
  CHECK(find_type(DialectId::candle, 30)->name == "BF16");
  CHECK(find_type(DialectId::bitnet_t5b, 36)->dialect == DialectId::bitnet_2026);  // by way of its parent
  CHECK(find_type(DialectId::bitnet_t5b, 12)->dialect == DialectId::ggml);
  CHECK(find_type(static_cast<DialectId>(255), 0) == nullptr);
  CHECK(find_type(static_cast<DialectId>(255), "F32") == nullptr);
}

TEST_CASE("lookup by id, by index, by name and by claim tell one story") {
  std::size_t claims = 0;
  for (std::uint32_t id = 0; id < 600; ++id) {
    claims += claims_of(id).size();
    for (const TypeInfo* claim : claims_of(id)) CHECK(find_type(claim->dialect, id) == claim);
  }
  CHECK(claims == all_types().size());
  CHECK(claims_of(0xFFFFFFFFU).empty());
  for (const Dialect& row : dialects()) {
    CAPTURE(row.slug);
    std::size_t known = 0;
    for (std::uint32_t id = 0; id < 600; ++id) {
      const TypeInfo* type = find_type(row.id, id);
      if (type == nullptr) continue;
      REQUIRE(known < known_type_count(row.id));
      CHECK(&known_type(row.id, known) == type);
      CHECK(type->id == id);
      CHECK(find_type(row.id, type->name) == type);
      ++known;
    }
    CHECK(known == known_type_count(row.id));
    for (const TypeInfo& own : own_types(row.id)) CHECK(find_type(row.id, own.id) == &own);
  }
}

TEST_CASE("what a dialect cannot write was never seen as written by it") {
  for (const TypeInfo& type : all_types()) {
    CAPTURE(type.dialect, type.id);
    if (type.seen_in_file == SeenInFile::never_written) CHECK_FALSE(type.storable);
    if (!type.storable && type.seen_in_file == SeenInFile::seen) CHECK(type.status == TypeStatus::retired);
  }
}

TEST_CASE("fields say where the scales are") {
  const auto has = [](std::string_view label, Role role, std::uint16_t begin, std::uint16_t bytes) {
    return std::ranges::any_of(find_layout(label)->fields, [&](const BlockField& field) {
      return field.role == role && field.begin == begin && field.bytes == bytes;
    });
  };
  // The scale fields that the golden vectors patch.
  for (const std::string_view label :
       {"q4_0",   "q4_1",    "q5_0",   "q5_1",  "q8_0",    "q1_0_g128", "q2_0_g64", "q4_k",
        "q5_k",   "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s",     "iq1_s",    "iq4_nl",
        "iq4_xs", "q6_0",    "iq2_k",  "iq3_k", "iq4_k",   "iq5_k",     "iq6_k"})
    CHECK(has(label, Role::scale_f16, 0, 2));
  for (const std::string_view label : {"q4_1", "q5_1", "q4_k", "q5_k"})
    CHECK(has(label, Role::minimum_f16, 2, 2));
  CHECK(has("q2_k", Role::scale_f16, 80, 2));
  CHECK(has("q2_k", Role::minimum_f16, 82, 2));
  CHECK(has("q3_k", Role::scale_f16, 108, 2));
  CHECK(has("q6_k", Role::scale_f16, 208, 2));
  CHECK(has("q8_k", Role::scale_f32, 0, 4));
  CHECK(has("tq1_0", Role::scale_f16, 52, 2));
  CHECK(has("tq2_0", Role::scale_f16, 64, 2));
  CHECK(has("mxfp4", Role::scale_e8m0, 0, 1));
  CHECK(has("nvfp4", Role::scale_ue4m3, 0, 4));
  CHECK(has("iq1_m", Role::scale_f16_scattered, 48, 8));
  CHECK(find_layout("iq4_ks")->row_header_fields[0].role == Role::scale_f32);
  CHECK(find_layout("iq2_ks")->row_header_fields[0].role == Role::scale_f16);
  CHECK(find_layout("i2_s_x86")->tensor_trailer_fields[0].role == Role::scale_f32);
  CHECK(find_layout("iq2_kt_draft")->fields.empty());  // not documented, so not made up
  CHECK(find_layout("Q4_0") == nullptr);               // labels are exact
}

}  // namespace ggufvet
