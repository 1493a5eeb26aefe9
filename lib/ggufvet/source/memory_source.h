// Bytes somebody else holds in memory. Borrowed: they must outlive the source.
#pragma once

#include "ggufvet/source/byte_source.h"

namespace ggufvet {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override;
  [[nodiscard]] IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] std::uint64_t bytes_read() const override { return 0; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace ggufvet
