// Integers are copied out of bytes with a stated byte order; a pointer is never cast to a wider type, so
// there is no alignment to get wrong and no strict-aliasing rule to break.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ggufvet {

enum class ByteOrder : std::uint8_t { little, big };

[[nodiscard]] constexpr std::uint8_t swap_bytes(std::uint8_t value) { return value; }
[[nodiscard]] constexpr std::uint16_t swap_bytes(std::uint16_t value) { return __builtin_bswap16(value); }
[[nodiscard]] constexpr std::uint32_t swap_bytes(std::uint32_t value) { return __builtin_bswap32(value); }
[[nodiscard]] constexpr std::uint64_t swap_bytes(std::uint64_t value) { return __builtin_bswap64(value); }

// T: an unsigned integer of 1, 2, 4 or 8 bytes. The caller has checked that sizeof(T) bytes are there.
template <class T>
[[nodiscard]] inline T load(const std::byte* bytes, ByteOrder order) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  const bool native = (order == ByteOrder::little) == (std::endian::native == std::endian::little);
  return native ? value : swap_bytes(value);
}

template <class T>
[[nodiscard]] inline T load_little(const std::byte* bytes) {
  return load<T>(bytes, ByteOrder::little);
}

template <class T>
inline void store(std::byte* bytes, T value, ByteOrder order) {
  const bool native = (order == ByteOrder::little) == (std::endian::native == std::endian::little);
  if (!native) value = swap_bytes(value);
  std::memcpy(bytes, &value, sizeof value);
}

}  // namespace ggufvet
