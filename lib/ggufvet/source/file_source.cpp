#include "ggufvet/source/file_source.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "ggufvet/base/assert.h"

namespace ggufvet {
namespace {

[[nodiscard]] tl::unexpected<IoError> failed(IoError::Operation operation, int error_number,
                                             std::uint64_t offset = 0) {
  return tl::unexpected<IoError>(IoError{operation, error_number, offset});
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = other.release();
  }
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int FileHandle::release() { return std::exchange(descriptor_, -1); }

IoResult<FileHandle> FileHandle::open_for_reading(const char* path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must not hang; it has no effect on regular files.
  FileHandle file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return failed(IoError::Operation::open, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failed(IoError::Operation::size, errno);
  if (S_ISDIR(status.st_mode)) return failed(IoError::Operation::open, EISDIR);
  if (!S_ISREG(status.st_mode)) return failed(IoError::Operation::open, ESPIPE);
  return file;
}

IoResult<FileStamp> stamp_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return failed(IoError::Operation::size, errno);
  return FileStamp{static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

IoResult<void> read_exactly(int descriptor, std::uint64_t offset, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(descriptor, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(IoError::Operation::read, errno, offset + done);
    if (count == 0) return failed(IoError::Operation::shrunk, 0, offset + done);
    done += static_cast<std::size_t>(count);
  }
  return {};
}

FileSource::~FileSource() {
  if (buffer_ != nullptr) ::munmap(buffer_, capacity_);
}

IoResult<void> FileSource::grow(std::size_t capacity) {
  void* const grown = buffer_ == nullptr ? ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                         : ::mremap(buffer_, capacity_, capacity, MREMAP_MAYMOVE);
  if (grown == MAP_FAILED) return failed(IoError::Operation::memory, errno);
  buffer_ = static_cast<std::byte*>(grown);
  capacity_ = capacity;
  return {};
}

IoResult<std::span<const std::byte>> FileSource::window(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(bytes, stamp_.bytes);
  if (wanted > std::numeric_limits<std::size_t>::max() / 2) return failed(IoError::Operation::memory, ENOMEM);
  const auto end = static_cast<std::size_t>(wanted);
  if (end > capacity_) {
    if (const auto grown = grow(end); !grown) return tl::unexpected<IoError>(grown.error());
  }
  if (end > filled_) {
    if (const auto done = read(filled_, std::span(buffer_ + filled_, end - filled_)); !done)
      return tl::unexpected<IoError>(done.error());
    filled_ = end;
  }
  return std::span<const std::byte>(buffer_, filled_);
}

IoResult<void> FileSource::read(std::uint64_t offset, std::span<std::byte> out) {
  GGUFVET_ASSERT(offset <= stamp_.bytes && out.size() <= stamp_.bytes - offset);
  bytes_read_.fetch_add(out.size(), std::memory_order_relaxed);
  return read_exactly(file_.get(), offset, out);
}

IoResult<void> FileSource::verify() {
  const auto now = stamp_of(file_.get());
  if (!now) return tl::unexpected<IoError>(now.error());
  if (!(*now == stamp_)) return failed(IoError::Operation::shrunk, 0, std::min(now->bytes, stamp_.bytes));
  return {};
}

}  // namespace ggufvet
