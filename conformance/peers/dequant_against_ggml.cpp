// dequant_against_ggml: every mainline type that we and a real ggml library both decode, on 10,000 blocks of
// random bytes (the golden files hold ordinary scales), compared float by float, NaN as NaN. Every quantiser
// that both have, on rows of three distributions, compared byte by byte. Exit status 1 on any difference.
//
//   dequant_against_ggml LIBRARY [SEED]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ggml_library.h"
#include "ggufvet/types/decode_table.h"
#include "golden_json.h"

namespace {

using namespace ggufvet;
using namespace ggufvet::golden;

constexpr std::uint64_t kBlocks = 10'000;
constexpr std::uint64_t kRowElements = 4096;
constexpr std::uint64_t kRows = 8;

std::uint64_t count_differences(const std::vector<float>& a, const std::vector<float>& b) {
  std::uint64_t differences = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const auto a_bits = std::bit_cast<std::uint32_t>(a[j]);
    const auto b_bits = std::bit_cast<std::uint32_t>(b[j]);
    const bool both_nan = (a_bits & 0x7FFFFFFFu) > 0x7F800000u && (b_bits & 0x7FFFFFFFu) > 0x7F800000u;
    if (a_bits != b_bits && !both_nan) ++differences;
  }
  return differences;
}

bool compare_decoders(const Codec& codec, const GgmlTypeTraits& traits, std::uint64_t seed) {
  BlockShape shape;
  shape.block_elements = codec.block_elements;
  shape.block_bytes = codec.block_bytes;
  const auto bytes = make_blocks(shape, "random", seed, {1, kBlocks});
  const std::uint64_t elements = kBlocks * shape.block_elements;
  std::vector<float> theirs(elements), plain(elements), chosen(elements);
  traits.to_float(bytes.data(), theirs.data(), static_cast<std::int64_t>(elements));
  codec.decode(bytes.data(), elements, ByteOrder::little, plain.data());
  find_decoder(codec.label)(bytes.data(), elements, ByteOrder::little, chosen.data());
  const std::uint64_t differences = count_differences(theirs, plain) + count_differences(theirs, chosen);
  std::printf("  decode   %-10s %8llu floats, %llu differ\n", traits.name,
              static_cast<unsigned long long>(elements), static_cast<unsigned long long>(differences));
  return differences == 0;
}

bool compare_quantizers(const Codec& codec, const GgmlTypeTraits& traits, std::uint64_t seed) {
  std::uint64_t differences = 0, compared = 0;
  const std::size_t row_bytes = kRowElements / codec.block_elements * codec.block_bytes;
  for (const char* rows_of : {"uniform", "hall4", "outlier"}) {
    const auto values = make_rows(rows_of, seed, kRows, kRowElements);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      std::vector<std::byte> ours(row_bytes), theirs(row_bytes);
      codec.quantize(values.data() + row * kRowElements, kRowElements, ours.data());
      traits.from_float_reference(values.data() + row * kRowElements, theirs.data(),
                                  static_cast<std::int64_t>(kRowElements));
      for (std::size_t j = 0; j < row_bytes; ++j) differences += ours[j] != theirs[j] ? 1u : 0u;
      compared += row_bytes;
    }
  }
  std::printf("  quantise %-10s %8llu bytes, %llu differ\n", traits.name,
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(differences));
  return differences == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: dequant_against_ggml LIBRARY [SEED]\n");
    return 2;
  }
  const std::uint64_t seed = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 77;
  try {
    const GgmlLibrary library(argv[1]);
    int decoded = 0, quantized = 0, differing = 0;
    for (const Codec& codec : codecs()) {
      const GgmlTypeTraits* traits = library.find(ggml_name(codec.label));
      if (traits == nullptr || traits->block_bytes != codec.block_bytes) continue;
      if (codec.decode != nullptr && traits->to_float != nullptr) {
        ++decoded;
        differing += compare_decoders(codec, *traits, seed) ? 0 : 1;
      }
      if (codec.quantize != nullptr && traits->from_float_reference != nullptr) {
        ++quantized;
        differing += compare_quantizers(codec, *traits, seed) ? 0 : 1;
      }
    }
    std::printf("%d types decoded, %d quantised, %d differ\n", decoded, quantized, differing);
    return differing == 0 && decoded > 0 ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "dequant_against_ggml: %s\n", problem.what());
    return 2;
  }
}
