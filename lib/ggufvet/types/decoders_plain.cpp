// Plain types: the block is the value. F16 and BF16 are exact; for F32, F64 and the integers the reference
// has no `to_float`, the conversion here is C++'s (nearest even where it rounds).
#include "ggufvet/types/decode_blocks.h"
#include "ggufvet/types/decoders.h"

namespace ggufvet {

void decode_f32(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  constexpr ByteOrder kHost = std::endian::native == std::endian::big ? ByteOrder::big : ByteOrder::little;
  if (order == kHost) {
    if (elements != 0) std::memcpy(out, row, elements * sizeof *out);
    return;
  }
  for (std::uint64_t index = 0; index < elements; ++index) {
    const auto bits = load<std::uint32_t>(row + index * 4, order);
    std::memcpy(out + index, &bits, sizeof bits);  // never through a register that would quieten a NaN
  }
}

void decode_f16(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  for (std::uint64_t index = 0; index < elements; ++index)
    out[index] = f16_to_f32(load<std::uint16_t>(row + index * 2, order));
}

void decode_bf16(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  for (std::uint64_t index = 0; index < elements; ++index)
    out[index] = bf16_to_f32(load<std::uint16_t>(row + index * 2, order));
}

void decode_f64(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  for (std::uint64_t index = 0; index < elements; ++index)
    out[index] = static_cast<float>(std::bit_cast<double>(load<std::uint64_t>(row + index * 8, order)));
}

namespace {

template <class Signed, class Unsigned>
void decode_integers(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  for (std::uint64_t index = 0; index < elements; ++index)
    out[index] =
        static_cast<float>(static_cast<Signed>(load<Unsigned>(row + index * sizeof(Unsigned), order)));
}

}  // namespace

void decode_i8(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_integers<std::int8_t, std::uint8_t>(row, elements, order, out);
}

void decode_i16(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_integers<std::int16_t, std::uint16_t>(row, elements, order, out);
}

void decode_i32(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_integers<std::int32_t, std::uint32_t>(row, elements, order, out);
}

void decode_i64(const std::byte* row, std::uint64_t elements, ByteOrder order, float* out) {
  decode_integers<std::int64_t, std::uint64_t>(row, elements, order, out);
}

}  // namespace ggufvet
