// A keyed hash for walks over whole vocabularies. Nearly all tokens are shorter than sixteen bytes, of
// lengths that nothing foretells; a hash that branches on the length is guessed wrongly for every second one.
// Here the bytes behind the text are read with it and masked away, and two words are multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/text.h"

namespace ggufvet {

// Which bytes of two words belong to a text of fewer than sixteen bytes, by its size.
struct WordMasks {
  std::uint64_t front = 0, back = 0;
};
inline constexpr auto kWordMasks = [] {
  std::array<WordMasks, 16> masks{};
  const auto first_bytes = [](std::size_t count) { return (std::uint64_t{1} << (8 * count)) - 1; };
  for (std::size_t size = 0; size < masks.size(); ++size)
    masks[size] =
        size < 8 ? WordMasks{first_bytes(size), 0} : WordMasks{~std::uint64_t{0}, first_bytes(size - 8)};
  return masks;
}();

// Two different texts hash alike with a chance of about 2^-63 whatever they are, as long as the keys are not
// known. Keys are drawn once for the process.
class TextHash {
 public:
  TextHash();

  // `readable`: how many bytes may be read from the beginning of the text on; at least its size, or
  // kReadableBytes. With so many a short text is hashed fast.
  static constexpr std::uint64_t kReadableBytes = kWordMasks.size();
  [[nodiscard]] std::uint64_t operator()(std::string_view text, std::uint64_t readable) const {
    if (text.size() < kWordMasks.size() && readable >= kReadableBytes) [[likely]]
      return hash_short(as_bytes(text).data(), text.size());
    return hash_other(text);
  }

 private:
  // Sixteen bytes are there. The top byte, which no short text reaches, holds the length, so that
  // "a" and "a\0" differ.
  [[nodiscard]] std::uint64_t hash_short(const std::byte* bytes, std::size_t size) const {
    const WordMasks mask = kWordMasks[size];
    const std::uint64_t front = load_little<std::uint64_t>(bytes) & mask.front;
    const std::uint64_t back = load_little<std::uint64_t>(bytes + 8) & mask.back;
    return folded_product(front ^ keys_[0], (back | std::uint64_t{size} << 56) ^ keys_[1]);
  }
  [[nodiscard]] std::uint64_t hash_other(std::string_view text) const;

  // Both halves of the product, so that every bit of either factor counts in every bit.
  [[nodiscard]] static std::uint64_t folded_product(std::uint64_t left, std::uint64_t right) {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    return (left * right) ^ static_cast<std::uint64_t>((Wide{left} * right) >> 64);
#else
    constexpr std::uint64_t kHalf = 0xFFFFFFFF;
    const std::uint64_t low = (left & kHalf) * (right & kHalf);
    const std::uint64_t cross = (left >> 32) * (right & kHalf) + (low >> 32);
    const std::uint64_t other = (left & kHalf) * (right >> 32) + (cross & kHalf);
    const std::uint64_t high = (left >> 32) * (right >> 32) + (cross >> 32) + (other >> 32);
    return ((other << 32) | (low & kHalf)) ^ high;
#endif
  }

  std::array<std::uint64_t, 2> keys_;
};

}  // namespace ggufvet
