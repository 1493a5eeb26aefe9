// A regular file mapped read-only: nothing is copied, only pages that are looked at are loaded. A file that
// is cut short while it is mapped raises SIGBUS on the pages that went away; a guard turns those pages into
// zeros and makes verify() fail, so the verdict becomes undecided and the process lives.
#pragma once

#include <atomic>

#include "ggufvet/source/file_source.h"

namespace ggufvet {

// Process-wide, installed once by a program that wants mapped sources. A library user who has a SIGBUS
// handler of their own does not call this and uses FileSource; without the guard MappedSource::map refuses to
// work. Faults outside our mappings go to whatever handler was there before.
[[nodiscard]] bool install_mapping_guard();

class MappedSource final : public ByteSource {
 public:
  // `file` must be a regular file that is not empty.
  MappedSource(FileHandle file, FileStamp stamp) : file_(std::move(file)), stamp_(stamp) {}
  ~MappedSource() override;

  // To be called once, before anything else. Fails (IoError::map) without a guard, without address space, or
  // when too many mappings are guarded already; the caller then reads with FileSource.
  [[nodiscard]] IoResult<void> map();
  [[nodiscard]] FileHandle take_file() { return std::move(file_); }

  [[nodiscard]] std::uint64_t size() const override { return stamp_.bytes; }
  [[nodiscard]] IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override;
  [[nodiscard]] IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] IoResult<std::span<const std::byte>> view(std::uint64_t offset,
                                                          std::span<std::byte> room) override;
  void release(ByteRange range) override;
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] IoResult<void> verify() override;

 private:
  // Whether a page was gone when somebody looked at it.
  [[nodiscard]] bool faulted() const;

  FileHandle file_;
  FileStamp stamp_;
  const std::byte* bytes_ = nullptr;
  int guard_slot_ = -1;
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace ggufvet
