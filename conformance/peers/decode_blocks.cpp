// decode_blocks LABEL: blocks of one type on standard input, float32 (little-endian) on standard output. The
// other half of dequant_against_gguf_py.py. One row; rows with a header begin with it.
#include <cstdio>
#include <iterator>
#include <vector>

#include "ggufvet/types/decode_table.h"

int main(int argc, char** argv) {
  using namespace ggufvet;
  const Codec* codec = argc == 2 ? find_codec(argv[1]) : nullptr;
  if (codec == nullptr || codec->decode == nullptr) {
    std::fprintf(stderr, "usage: decode_blocks LABEL (one that has a decoder)\n");
    return 2;
  }
  std::vector<std::byte> bytes;
  std::byte buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + got);
  if (bytes.size() < codec->row_header_bytes ||
      (bytes.size() - codec->row_header_bytes) % codec->block_bytes != 0) {
    std::fprintf(stderr, "decode_blocks: not a whole number of blocks\n");
    return 1;
  }
  const std::uint64_t elements =
      (bytes.size() - codec->row_header_bytes) / codec->block_bytes * codec->block_elements;
  std::vector<float> values(elements);
  find_decoder(codec->label)(bytes.data(), elements, ByteOrder::little, values.data());
  std::vector<std::byte> out(elements * 4);
  for (std::size_t j = 0; j < elements; ++j)
    store<std::uint32_t>(out.data() + 4 * j, std::bit_cast<std::uint32_t>(values[j]), ByteOrder::little);
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
