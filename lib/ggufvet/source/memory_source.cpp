#include "ggufvet/source/memory_source.h"

#include <algorithm>

#include "ggufvet/base/assert.h"

namespace ggufvet {

IoResult<std::span<const std::byte>> MemorySource::window(std::uint64_t) { return bytes_; }

IoResult<void> MemorySource::read(std::uint64_t offset, std::span<std::byte> out) {
  GGUFVET_ASSERT(offset <= bytes_.size() && out.size() <= bytes_.size() - offset);
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  return {};
}

}  // namespace ggufvet
