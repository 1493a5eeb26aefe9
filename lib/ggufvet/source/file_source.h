// A regular file read with pread into a buffer of its own: what was checked is what is judged, even if the
// file changes underneath. The window buffer is an anonymous mapping that grows in place, so nothing is
// copied twice.
#pragma once

#include <atomic>
#include <utility>

#include "ggufvet/source/byte_source.h"

namespace ggufvet {

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  // Opens for reading; refuses what has no size and no positions (directories, pipes) with EISDIR or ESPIPE.
  [[nodiscard]] static IoResult<FileHandle> open_for_reading(const char* path);

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] int release();

 private:
  int descriptor_ = -1;
};

// What identifies a state of a file; two that differ mean it changed in between.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
[[nodiscard]] IoResult<FileStamp> stamp_of(int descriptor);

// Reads exactly out.size() bytes at `offset`; a file that ends earlier is IoError::shrunk.
[[nodiscard]] IoResult<void> read_exactly(int descriptor, std::uint64_t offset, std::span<std::byte> out);

class FileSource final : public ByteSource {
 public:
  FileSource(FileHandle file, FileStamp stamp) : file_(std::move(file)), stamp_(stamp) {}
  ~FileSource() override;

  [[nodiscard]] std::uint64_t size() const override { return stamp_.bytes; }
  [[nodiscard]] IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override;
  [[nodiscard]] IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] IoResult<void> verify() override;

 private:
  [[nodiscard]] IoResult<void> grow(std::size_t capacity);

  FileHandle file_;
  FileStamp stamp_;
  std::byte* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t filled_ = 0;
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace ggufvet
