// Any bytes of any type, in either byte order: the decoder chosen for this CPU gives the bits of the plain
// one (NaN as NaN), one call over many blocks gives what one call a block gives, and nothing is read or
// written beyond buffers of exactly the promised size (held by the address sanitizer). Any floats through any
// quantiser: nothing is read or written beyond, two runs give the same bytes, and those bytes decode.
//
// Input: byte 0 chooses the type, byte 1 is flags (bit 0 big-endian, bit 1 misaligned, bit 2 quantise), the
// rest is data.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "ggufvet/base/assert.h"
#include "ggufvet/types/decode_table.h"

namespace {

using namespace ggufvet;

// Exactly `size` bytes that the sanitizer watches, at an address that is odd when asked for. The byte before
// a misaligned buffer is ours, so reads before the start are caught by aligned runs.
class Buffer {
 public:
  Buffer(std::size_t size, bool misaligned)
      : memory_(std::make_unique<std::byte[]>(size + (misaligned ? 1 : 0))),
        begin_(memory_.get() + (misaligned ? 1 : 0)) {}
  std::byte* data() const { return begin_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* begin_;
};

bool same_value(float a, float b) {
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  constexpr std::uint32_t kInfinity = 0x7F800000u;
  const bool a_nan = (a_bits & 0x7FFFFFFFu) > kInfinity;
  const bool b_nan = (b_bits & 0x7FFFFFFFu) > kInfinity;
  return a_nan ? b_nan : a_bits == b_bits;
}

void check_same(const std::unique_ptr<float[]>& a, const std::unique_ptr<float[]>& b,
                std::uint64_t elements) {
  for (std::uint64_t index = 0; index < elements; ++index) GGUFVET_ASSERT(same_value(a[index], b[index]));
}

void check_row(const Codec& codec, const std::uint8_t* data, std::size_t size, ByteOrder order,
               bool misaligned) {
  if (size < codec.row_header_bytes) return;
  const std::uint64_t blocks = (size - codec.row_header_bytes) / codec.block_bytes;
  const std::uint64_t elements = blocks * codec.block_elements;
  const std::size_t row_bytes = codec.row_header_bytes + blocks * codec.block_bytes;
  const Buffer row(row_bytes, misaligned);
  if (row_bytes != 0) std::memcpy(row.data(), data, row_bytes);
  const auto plain = std::make_unique<float[]>(elements);
  const auto chosen = std::make_unique<float[]>(elements);
  codec.decode(row.data(), elements, order, plain.get());
  find_decoder(codec.label)(row.data(), elements, order, chosen.get());
  check_same(plain, chosen, elements);
  if (codec.row_header_bytes != 0) return;
  for (std::uint64_t block = 0; block < blocks; ++block)
    find_decoder(codec.label)(row.data() + block * codec.block_bytes, codec.block_elements, order,
                              chosen.get() + block * codec.block_elements);
  check_same(plain, chosen, elements);
}

void check_tensor(const Codec& codec, const std::uint8_t* data, std::size_t size, ByteOrder order,
                  bool misaligned) {
  constexpr std::size_t kTrailerBytes = 32;
  if (size < kTrailerBytes) return;
  const std::uint64_t rows = 4;
  const std::uint64_t row_elements = (size - kTrailerBytes) / 32 * 32;  // four codes a byte, four rows
  GGUFVET_ASSERT(codec.shape_fits(row_elements, rows));
  const Buffer tensor(row_elements + kTrailerBytes, misaligned);
  std::memcpy(tensor.data(), data, row_elements + kTrailerBytes);
  const auto values = std::make_unique<float[]>(row_elements * rows);
  codec.decode_tensor(tensor.data(), row_elements, rows, order, values.get());
  // One scale for all: never more than four different values, whatever the codes are.
  std::vector<float> different;
  for (std::uint64_t index = 0; index < row_elements * rows; ++index) {
    const auto same = [&](float other) { return same_value(values[index], other); };
    if (std::none_of(different.begin(), different.end(), same)) different.push_back(values[index]);
    GGUFVET_ASSERT(different.size() <= 4);
  }
}

void check_quantizer(const Codec& codec, const std::uint8_t* data, std::size_t size) {
  const std::uint64_t blocks = size / sizeof(float) / codec.block_elements;
  const std::uint64_t elements = blocks * codec.block_elements;
  const auto values = std::make_unique<float[]>(elements);
  if (elements != 0) std::memcpy(values.get(), data, elements * sizeof(float));
  const std::size_t row_bytes = blocks * codec.block_bytes;
  const Buffer first(row_bytes, false);
  const Buffer second(row_bytes, true);
  if (row_bytes != 0) std::memset(first.data(), 0xA5, row_bytes);
  codec.quantize(values.get(), elements, first.data());
  codec.quantize(values.get(), elements, second.data());
  GGUFVET_ASSERT(row_bytes == 0 || std::memcmp(first.data(), second.data(), row_bytes) == 0);
  if (codec.decode == nullptr) return;
  const auto decoded = std::make_unique<float[]>(elements);
  codec.decode(first.data(), elements, ByteOrder::little, decoded.get());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Codec& codec = codecs()[data[0] % codecs().size()];
  const ByteOrder order = (data[1] & 1) != 0 ? ByteOrder::big : ByteOrder::little;
  const bool misaligned = (data[1] & 2) != 0;
  if ((data[1] & 4) != 0 && codec.quantize != nullptr)
    check_quantizer(codec, data + 2, size - 2);
  else if (codec.decode != nullptr)
    check_row(codec, data + 2, size - 2, order, misaligned);
  else if (codec.decode_tensor != nullptr)
    check_tensor(codec, data + 2, size - 2, order, misaligned);
  return 0;
}
