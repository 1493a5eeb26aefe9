// Where bytes come from. A source hands out its beginning as one contiguous window (a GGUF directory is a
// prefix, so that is all reading needs) and copies single ranges of the rest. Nothing above this layer knows
// whether the bytes live in memory, in a file or in a mapping. A source owns the bytes of its window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tl/expected.hpp>

#include "ggufvet/base/byte_range.h"

namespace ggufvet {

// The world failed, not the file: open, stat, read.
struct IoError {
  enum class Operation : std::uint8_t { open, size, read, map, memory, shrunk };
  Operation operation{};
  int error_number = 0;  // errno, 0 where there is none
  std::uint64_t offset = 0;
};

template <class T>
using IoResult = tl::expected<T, IoError>;

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Bytes in all; does not change over the life of a source.
  [[nodiscard]] virtual std::uint64_t size() const = 0;

  // At least the first `bytes` bytes (all of them when there are fewer), maybe more. Valid until the next
  // call.
  [[nodiscard]] virtual IoResult<std::span<const std::byte>> window(std::uint64_t bytes) = 0;

  // Copies [offset, offset + out.size()), which must lie inside the source. Safe to call from several
  // threads, and while a window is in use.
  [[nodiscard]] virtual IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) = 0;

  // [offset, offset + room.size()), which must lie inside the source, to be looked at once: in place where
  // that costs no memory that stays, else copied into `room`. Safe to call from several threads. A view in
  // place is good until its range is released.
  [[nodiscard]] virtual IoResult<std::span<const std::byte>> view(std::uint64_t offset,
                                                                  std::span<std::byte> room) {
    if (const auto done = read(offset, room); !done) return tl::unexpected<IoError>(done.error());
    return std::span<const std::byte>(room);
  }
  // What view() showed of a range is not needed any more; its memory may go. Reading it again stays possible.
  virtual void release(ByteRange) {}

  // Bytes copied out of the source so far. A window that is borrowed or mapped costs none.
  [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;

  // Whether what was handed out can still be trusted; an error when the bytes went away underneath.
  [[nodiscard]] virtual IoResult<void> verify() { return {}; }
};

}  // namespace ggufvet
