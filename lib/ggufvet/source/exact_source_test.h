// A source for tests that hands out exactly the bytes it is asked for, each window in memory of its own, so
// that a view kept from an earlier window, or a look past the end of one, is seen by a sanitizer. Counts what
// it is asked.
#pragma once

#include <algorithm>
#include <vector>

#include "ggufvet/source/byte_source.h"

namespace ggufvet {

class ExactSource final : public ByteSource {
 public:
  explicit ExactSource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }

  [[nodiscard]] IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override {
    ++window_count;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, bytes_.size()));
    const auto part = bytes_.first(count);
    std::vector<std::byte> copy(part.begin(), part.end());
    copy.shrink_to_fit();
    window_.swap(copy);
    bytes_read_ += count;
    return std::span<const std::byte>(window_);
  }

  [[nodiscard]] IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    ++read_count;
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
      return tl::unexpected(IoError{IoError::Operation::read, 0, offset});
    const auto part = bytes_.subspan(static_cast<std::size_t>(offset), out.size());
    std::copy(part.begin(), part.end(), out.begin());
    bytes_read_ += out.size();
    return {};
  }

  [[nodiscard]] std::uint64_t bytes_read() const override { return bytes_read_; }

  std::uint64_t window_count = 0;
  std::uint64_t read_count = 0;

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::byte> window_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace ggufvet
