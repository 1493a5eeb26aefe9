// The registry's fields and the structs the decoders read were written apart. The decoders are held to
// measured vectors; what agrees with them says rightly where a scale is.
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/types/block_layouts.h"
#include "ggufvet/types/block_layouts_forks.h"
#include "ggufvet/types/decode_table.h"
#include "ggufvet/types/type_registry.h"

#define PLACE(block, field) \
  Place { offsetof(block, field), sizeof(block::field) }

namespace ggufvet {
namespace {

struct Place {
  std::size_t begin;
  std::size_t bytes;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Struct {
  std::string_view label;
  std::size_t bytes;
  std::size_t elements;
  std::vector<Place> fields;
};

template <class Block>
Struct of(std::string_view label, std::vector<Place> fields) {
  return {label, sizeof(Block), Block::elements, std::move(fields)};
}

std::vector<Struct> structs() {
  return {
      of<BlockF16>("f16", {PLACE(BlockF16, d)}),
      of<BlockBf16>("bf16", {PLACE(BlockBf16, d)}),
      of<BlockF32>("f32", {PLACE(BlockF32, d)}),
      of<BlockF64>("f64", {PLACE(BlockF64, d)}),
      of<BlockQ4_0>("q4_0", {PLACE(BlockQ4_0, d), PLACE(BlockQ4_0, qs)}),
      of<BlockQ4_1>("q4_1", {PLACE(BlockQ4_1, d), PLACE(BlockQ4_1, m), PLACE(BlockQ4_1, qs)}),
      of<BlockQ5_0>("q5_0", {PLACE(BlockQ5_0, d), PLACE(BlockQ5_0, qh), PLACE(BlockQ5_0, qs)}),
      of<BlockQ5_1>("q5_1",
                    {PLACE(BlockQ5_1, d), PLACE(BlockQ5_1, m), PLACE(BlockQ5_1, qh), PLACE(BlockQ5_1, qs)}),
      of<BlockQ8_0>("q8_0", {PLACE(BlockQ8_0, d), PLACE(BlockQ8_0, qs)}),
      of<BlockQ8_1>("q8_1", {PLACE(BlockQ8_1, d), PLACE(BlockQ8_1, s), PLACE(BlockQ8_1, qs)}),
      of<BlockIq4Nl>("iq4_nl", {PLACE(BlockIq4Nl, d), PLACE(BlockIq4Nl, qs)}),
      of<BlockMxfp4>("mxfp4", {PLACE(BlockMxfp4, e), PLACE(BlockMxfp4, qs)}),
      of<BlockMxfp4>("mxfp4_ollama", {PLACE(BlockMxfp4, e), PLACE(BlockMxfp4, qs)}),
      of<BlockNvfp4>("nvfp4", {PLACE(BlockNvfp4, d), PLACE(BlockNvfp4, qs)}),
      of<BlockQ1_0>("q1_0_g128", {PLACE(BlockQ1_0, d), PLACE(BlockQ1_0, qs)}),
      of<BlockQ2_0>("q2_0_g64", {PLACE(BlockQ2_0, d), PLACE(BlockQ2_0, qs)}),
      of<BlockTq1_0>("tq1_0", {PLACE(BlockTq1_0, qs), PLACE(BlockTq1_0, qh), PLACE(BlockTq1_0, d)}),
      of<BlockTq2_0>("tq2_0", {PLACE(BlockTq2_0, qs), PLACE(BlockTq2_0, d)}),
      of<BlockQ2K>("q2_k",
                   {PLACE(BlockQ2K, scales), PLACE(BlockQ2K, qs), PLACE(BlockQ2K, d), PLACE(BlockQ2K, dmin)}),
      of<BlockQ3K>(
          "q3_k", {PLACE(BlockQ3K, hmask), PLACE(BlockQ3K, qs), PLACE(BlockQ3K, scales), PLACE(BlockQ3K, d)}),
      of<BlockQ4K>("q4_k",
                   {PLACE(BlockQ4K, d), PLACE(BlockQ4K, dmin), PLACE(BlockQ4K, scales), PLACE(BlockQ4K, qs)}),
      of<BlockQ5K>("q5_k", {PLACE(BlockQ5K, d), PLACE(BlockQ5K, dmin), PLACE(BlockQ5K, scales),
                            PLACE(BlockQ5K, qh), PLACE(BlockQ5K, qs)}),
      of<BlockQ6K>("q6_k",
                   {PLACE(BlockQ6K, ql), PLACE(BlockQ6K, qh), PLACE(BlockQ6K, scales), PLACE(BlockQ6K, d)}),
      of<BlockQ8K>("q8_k", {PLACE(BlockQ8K, d), PLACE(BlockQ8K, qs), PLACE(BlockQ8K, bsums)}),
      of<BlockIq2Xxs>("iq2_xxs", {PLACE(BlockIq2Xxs, d), PLACE(BlockIq2Xxs, qs)}),
      of<BlockIq2Xs>("iq2_xs", {PLACE(BlockIq2Xs, d), PLACE(BlockIq2Xs, qs), PLACE(BlockIq2Xs, scales)}),
      of<BlockIq2S>("iq2_s", {PLACE(BlockIq2S, d), PLACE(BlockIq2S, qs), PLACE(BlockIq2S, signs),
                              PLACE(BlockIq2S, qh), PLACE(BlockIq2S, scales)}),
      of<BlockIq3Xxs>("iq3_xxs", {PLACE(BlockIq3Xxs, d), PLACE(BlockIq3Xxs, qs), PLACE(BlockIq3Xxs, gas)}),
      of<BlockIq3S>("iq3_s", {PLACE(BlockIq3S, d), PLACE(BlockIq3S, qs), PLACE(BlockIq3S, qh),
                              PLACE(BlockIq3S, signs), PLACE(BlockIq3S, scales)}),
      of<BlockIq1S>("iq1_s", {PLACE(BlockIq1S, d), PLACE(BlockIq1S, qs), PLACE(BlockIq1S, qh)}),
      of<BlockIq1M>("iq1_m", {PLACE(BlockIq1M, qs), PLACE(BlockIq1M, qh), PLACE(BlockIq1M, scales)}),
      of<BlockIq4Xs>("iq4_xs", {PLACE(BlockIq4Xs, d), PLACE(BlockIq4Xs, scales_h),
                                PLACE(BlockIq4Xs, scales_l), PLACE(BlockIq4Xs, qs)}),
      of<BlockQ6_0>("q6_0", {PLACE(BlockQ6_0, d), PLACE(BlockQ6_0, qh), PLACE(BlockQ6_0, qs)}),
      of<BlockIq2K>("iq2_k", {PLACE(BlockIq2K, d), PLACE(BlockIq2K, extra), PLACE(BlockIq2K, scales),
                              PLACE(BlockIq2K, qs)}),
      of<BlockIq3K>("iq3_k", {PLACE(BlockIq3K, d), PLACE(BlockIq3K, extra), PLACE(BlockIq3K, scales_h),
                              PLACE(BlockIq3K, scales_l), PLACE(BlockIq3K, qs), PLACE(BlockIq3K, qh)}),
      of<BlockIq4K>("iq4_k", {PLACE(BlockIq4K, d), PLACE(BlockIq4K, extra), PLACE(BlockIq4K, scales_h),
                              PLACE(BlockIq4K, scales_l), PLACE(BlockIq4K, qs)}),
      of<BlockIq5K>("iq5_k", {PLACE(BlockIq5K, d), PLACE(BlockIq5K, extra), PLACE(BlockIq5K, scales_h),
                              PLACE(BlockIq5K, scales_l), PLACE(BlockIq5K, qs), PLACE(BlockIq5K, qh)}),
      of<BlockIq6K>("iq6_k", {PLACE(BlockIq6K, d), PLACE(BlockIq6K, extra), PLACE(BlockIq6K, scales),
                              PLACE(BlockIq6K, qs), PLACE(BlockIq6K, qh)}),
      of<BlockIq4Ks>("iq4_ks", {PLACE(BlockIq4Ks, scales), PLACE(BlockIq4Ks, qs)}),
      of<BlockIq5Ks>("iq5_ks", {PLACE(BlockIq5Ks, scales), PLACE(BlockIq5Ks, qs), PLACE(BlockIq5Ks, qh)}),
      of<BlockIq2Ks>("iq2_ks", {PLACE(BlockIq2Ks, extra), PLACE(BlockIq2Ks, scales), PLACE(BlockIq2Ks, qs)}),
      of<BlockIq3Ks>("iq3_ks", {PLACE(BlockIq3Ks, extra), PLACE(BlockIq3Ks, scales), PLACE(BlockIq3Ks, qs),
                                PLACE(BlockIq3Ks, qh)}),
      of<BlockIq4Kss>("iq4_kss", {PLACE(BlockIq4Kss, qs)}),
      of<BlockIq2Kl>("iq2_kl", {PLACE(BlockIq2Kl, scales_h), PLACE(BlockIq2Kl, scales_l),
                                PLACE(BlockIq2Kl, qs), PLACE(BlockIq2Kl, qh)}),
      of<BlockIq1Kt>("iq1_kt", {PLACE(BlockIq1Kt, sh), PLACE(BlockIq1Kt, ql), PLACE(BlockIq1Kt, qh)}),
      of<BlockIq2Kt>("iq2_kt", {PLACE(BlockIq2Kt, scales), PLACE(BlockIq2Kt, ql)}),
      of<BlockIq3Kt>("iq3_kt", {PLACE(BlockIq3Kt, scales), PLACE(BlockIq3Kt, ql), PLACE(BlockIq3Kt, qh)}),
      of<BlockIq4Kt>("iq4_kt", {PLACE(BlockIq4Kt, qs), PLACE(BlockIq4Kt, ql), PLACE(BlockIq4Kt, qh)}),
      of<BlockIq1Bn>("iq1_bn", {PLACE(BlockIq1Bn, ql), PLACE(BlockIq1Bn, extra)}),
      of<BlockIq1Bn>("iq1_bn_v0", {PLACE(BlockIq1Bn, ql), PLACE(BlockIq1Bn, extra)}),
      of<BlockIq2Bn>("iq2_bn", {PLACE(BlockIq2Bn, qs)}),
      of<BlockIq2Bn>("iq2_bn_v0", {PLACE(BlockIq2Bn, qs)}),
      of<BlockQ8KIk>("q8_k_ik", {PLACE(BlockQ8KIk, d), PLACE(BlockQ8KIk, sum), PLACE(BlockQ8KIk, qs),
                                 PLACE(BlockQ8KIk, bsums)}),
      of<BlockQ1_0G32>("q1_0_g32", {PLACE(BlockQ1_0G32, d), PLACE(BlockQ1_0G32, qs)}),
      of<BlockQ2_0G128>("q2_0_g128", {PLACE(BlockQ2_0G128, d), PLACE(BlockQ2_0G128, qs)}),
      of<BlockPtq1_0>("ptq1_0", {PLACE(BlockPtq1_0, qs), PLACE(BlockPtq1_0, qh), PLACE(BlockPtq1_0, d)}),
      of<BlockStq1_0>("stq1_0", {PLACE(BlockStq1_0, qs), PLACE(BlockStq1_0, sign), PLACE(BlockStq1_0, d)}),
      of<BlockF8E4M3B128>("f8_e4m3_b128", {PLACE(BlockF8E4M3B128, e), PLACE(BlockF8E4M3B128, qs)}),
      of<BlockE4M3B32>("e4m3_b32", {PLACE(BlockE4M3B32, d), PLACE(BlockE4M3B32, qs)}),
      of<BlockRocmFp2>("rocmfp2_dual", {PLACE(BlockRocmFp2, qs), PLACE(BlockRocmFp2, e)}),
  };
}

}  // namespace

TEST_CASE("the fields of a layout are those of the struct that is decoded") {
  for (const Struct& block : structs()) {
    CAPTURE(block.label);
    const TypeLayout* layout = find_layout(block.label);
    REQUIRE(layout != nullptr);
    CHECK(layout->block_bytes == block.bytes);
    CHECK(layout->block_elements == block.elements);
    std::vector<Place> fields;
    for (const BlockField& field : layout->fields) fields.push_back({field.begin, field.bytes});
    CHECK(fields == block.fields);
  }
}

TEST_CASE("what is decoded or quantised is a layout of the registry, with its geometry") {
  for (const Codec& codec : codecs()) {
    CAPTURE(codec.label);
    const TypeLayout* layout = find_layout(codec.label);
    REQUIRE(layout != nullptr);
    CHECK(layout->row_header_bytes == codec.row_header_bytes);
    if (layout->formula != SizeFormula::none) continue;  // a tensor of one piece has no blocks here
    CHECK(layout->block_elements == codec.block_elements);
    CHECK(layout->block_bytes == codec.block_bytes);
  }
}

}  // namespace ggufvet
