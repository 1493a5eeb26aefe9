// bench_decode: floats per second of every decoder, into a 64 KiB tile that is used again, from input that is
// not.
//
//   bench_decode [--ggml LIBRARY] [--megafloats N] [--rounds N] [LABEL...]
//
// One thread. Input is pseudo-random (fresh within a pass: a repeated tile lets branch predictors learn its
// signs), N million floats a pass (default 32), best of N rounds (default 5). With --ggml, a real ggml's
// to_float runs in turn with ours on the same bytes; the last column is their ratio. Results depend on the
// machine; compare within one run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ggml_library.h"
#include "ggufvet/types/decode_table.h"
#include "ggufvet/types/simd_dispatch.h"
#include "golden_inputs.h"

namespace {

using namespace ggufvet;

constexpr std::uint64_t kTileElements = 16384;

struct Options {
  std::string library;
  std::uint64_t floats = 32'000'000;
  int rounds = 5;
  std::vector<std::string> labels;
};

// One row a tile, header included.
struct Input {
  std::vector<std::byte> bytes;
  std::uint64_t tile_bytes = 0;
  std::uint64_t tiles = 0;
};

Input make_input(const Codec& codec, std::uint64_t floats) {
  Input input;
  input.tile_bytes = codec.row_header_bytes + kTileElements / codec.block_elements * codec.block_bytes;
  input.tiles = std::max<std::uint64_t>(floats / kTileElements, 1);
  input.bytes.resize(input.tiles * input.tile_bytes);
  golden::SplitMix64 stream(1);
  for (std::size_t at = 0; at + 8 <= input.bytes.size(); at += 8) {
    const std::uint64_t word = stream.next();
    std::memcpy(input.bytes.data() + at, &word, sizeof word);
  }
  return input;
}

double seconds_of(const Input& input, float* tile,
                  const std::function<void(const std::byte*, float*)>& decode) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t index = 0; index < input.tiles; ++index)
    decode(input.bytes.data() + index * input.tile_bytes, tile);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void bench(const Codec& codec, const golden::GgmlTypeTraits* peer, const Options& options) {
  const Input input = make_input(codec, options.floats);
  std::vector<float> tile(kTileElements);
  const DecodeRow fast = find_decoder(codec.label);
  double best_plain = 1e9, best_fast = 1e9, best_peer = 1e9;
  for (int round = 0; round < options.rounds; ++round) {
    best_fast = std::min(best_fast, seconds_of(input, tile.data(), [&](const std::byte* row, float* out) {
                           fast(row, kTileElements, ByteOrder::little, out);
                         }));
    if (peer != nullptr && peer->to_float != nullptr)
      best_peer = std::min(best_peer, seconds_of(input, tile.data(), [&](const std::byte* row, float* out) {
                             peer->to_float(row, out, static_cast<std::int64_t>(kTileElements));
                           }));
    if (round == 0)
      best_plain = seconds_of(input, tile.data(), [&](const std::byte* row, float* out) {
        codec.decode(row, kTileElements, ByteOrder::little, out);
      });
  }
  const double gigafloats = static_cast<double>(input.tiles * kTileElements) * 1e-9;
  std::printf("%-14.*s %8.2f %8.2f", static_cast<int>(codec.label.size()), codec.label.data(),
              gigafloats / best_plain, gigafloats / best_fast);
  if (best_peer < 1e9) std::printf(" %8.2f %7.2fx", gigafloats / best_peer, best_peer / best_fast);
  std::printf("\n");
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    const bool has_value = index + 1 < argc;
    if (word == "--ggml" && has_value)
      options.library = argv[++index];
    else if (word == "--megafloats" && has_value)
      options.floats = std::strtoull(argv[++index], nullptr, 10) * 1'000'000;
    else if (word == "--rounds" && has_value)
      options.rounds = std::atoi(argv[++index]);
    else
      options.labels.emplace_back(word);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::unique_ptr<golden::GgmlLibrary> library;
  try {
    if (!options.library.empty()) library = std::make_unique<golden::GgmlLibrary>(options.library);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_decode: %s\n", problem.what());
    return 2;
  }
  std::printf("Gfloats/s         plain  chosen%s   (vector forms: %s)\n", library ? "     ggml   ratio" : "",
              has_vector_decoders() ? "yes" : "no");
  for (const Codec& codec : codecs()) {
    if (codec.decode == nullptr) continue;
    if (!options.labels.empty() && std::ranges::find(options.labels, codec.label) == options.labels.end())
      continue;
    bench(codec, library ? library->find(golden::ggml_name(codec.label)) : nullptr, options);
  }
  return 0;
}
