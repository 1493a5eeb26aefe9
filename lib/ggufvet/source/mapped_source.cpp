#include "ggufvet/source/mapped_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <unistd.h>

#include <sys/mman.h>

#include "ggufvet/base/assert.h"

namespace ggufvet {
namespace {

// What the signal handler may look at: lock-free atomics only. `begin` is published last and withdrawn first.
struct GuardSlot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> taken{false};
  std::atomic<bool> faulted{false};
};
constexpr std::size_t kGuardSlots = 64;
constinit std::array<GuardSlot, kGuardSlots> guard_slots{};
constinit std::atomic<bool> guard_installed{false};
struct sigaction previous_action {};
constinit std::atomic<std::uintptr_t> page_bytes{4096};

// Puts a page of zeros where the file ended. mmap is not on POSIX's list of async-signal-safe functions, but
// on Linux it is a bare system call, and this handler runs on the thread that touched the page, in our own
// code.
[[nodiscard]] bool patch_page(std::uintptr_t address) {
  const std::uintptr_t page = address & ~(page_bytes.load(std::memory_order_relaxed) - 1);
  void* const patched = ::mmap(reinterpret_cast<void*>(page), page_bytes.load(std::memory_order_relaxed),
                               PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return patched != MAP_FAILED;
}

void forward(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the faulting instruction runs again and ends the process as it would have
  }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (GuardSlot& slot : guard_slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= slot.end.load(std::memory_order_relaxed)) continue;
    slot.faulted.store(true, std::memory_order_relaxed);
    if (patch_page(address)) {
      errno = saved_errno;
      return;
    }
  }
  forward(signal, info, context);
  errno = saved_errno;
}

[[nodiscard]] int take_slot(std::uintptr_t begin, std::uintptr_t end) {
  for (std::size_t index = 0; index < guard_slots.size(); ++index) {
    GuardSlot& slot = guard_slots[index];
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    slot.faulted.store(false, std::memory_order_relaxed);
    slot.end.store(end, std::memory_order_relaxed);
    slot.begin.store(begin, std::memory_order_release);
    return static_cast<int>(index);
  }
  return -1;
}

void release_slot(int index) {
  GuardSlot& slot = guard_slots[static_cast<std::size_t>(index)];
  slot.begin.store(0, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

[[nodiscard]] tl::unexpected<IoError> failed(IoError::Operation operation, int error_number,
                                             std::uint64_t offset = 0) {
  return tl::unexpected<IoError>(IoError{operation, error_number, offset});
}

}  // namespace

bool install_mapping_guard() {
  if (guard_installed.load(std::memory_order_acquire)) return true;
  const long page = ::sysconf(_SC_PAGESIZE);
  if (page <= 0) return false;
  page_bytes.store(static_cast<std::uintptr_t>(page), std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, &previous_action) != 0) return false;
  guard_installed.store(true, std::memory_order_release);
  return true;
}

IoResult<void> MappedSource::map() {
  GGUFVET_ASSERT(bytes_ == nullptr);
  if (!guard_installed.load(std::memory_order_acquire) || stamp_.bytes == 0 ||
      stamp_.bytes > std::numeric_limits<std::size_t>::max() / 2)
    return failed(IoError::Operation::map, EINVAL);
  const auto bytes = static_cast<std::size_t>(stamp_.bytes);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (mapped == MAP_FAILED) return failed(IoError::Operation::map, errno);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  guard_slot_ = take_slot(begin, begin + bytes);
  if (guard_slot_ < 0) {
    ::munmap(mapped, bytes);
    return failed(IoError::Operation::map, EAGAIN);
  }
  bytes_ = static_cast<const std::byte*>(mapped);
  return {};
}

MappedSource::~MappedSource() {
  if (bytes_ == nullptr) return;
  release_slot(guard_slot_);
  ::munmap(const_cast<std::byte*>(bytes_), static_cast<std::size_t>(stamp_.bytes));
}

// All of it, whatever was asked for: pages that nobody touches cost nothing.
IoResult<std::span<const std::byte>> MappedSource::window(std::uint64_t) {
  GGUFVET_ASSERT(bytes_ != nullptr);
  return std::span<const std::byte>(bytes_, static_cast<std::size_t>(stamp_.bytes));
}

// By pread, not from the mapping: data that is looked at once does not then count as this process's memory.
IoResult<void> MappedSource::read(std::uint64_t offset, std::span<std::byte> out) {
  GGUFVET_ASSERT(offset <= stamp_.bytes && out.size() <= stamp_.bytes - offset);
  bytes_read_.fetch_add(out.size(), std::memory_order_relaxed);
  return read_exactly(file_.get(), offset, out);
}

bool MappedSource::faulted() const {
  return guard_slot_ >= 0 &&
         guard_slots[static_cast<std::size_t>(guard_slot_)].faulted.load(std::memory_order_relaxed);
}

IoResult<std::span<const std::byte>> MappedSource::view(std::uint64_t offset, std::span<std::byte> room) {
  GGUFVET_ASSERT(offset <= stamp_.bytes && room.size() <= stamp_.bytes - offset);
  // Once pages have gone, the rest may be gone as well: walking through terabytes of faults would take days.
  if (faulted())
    if (const auto intact = verify(); !intact) return tl::unexpected<IoError>(intact.error());
  bytes_read_.fetch_add(room.size(), std::memory_order_relaxed);
  return std::span<const std::byte>(bytes_ + offset, room.size());
}

// Whole pages. One at an edge may still be looked at by somebody else, who then has it loaded again.
void MappedSource::release(ByteRange range) {
  const std::uint64_t page = page_bytes.load(std::memory_order_relaxed);
  const std::uint64_t begin = range.begin / page * page;
  const std::uint64_t end = std::min(range.end, stamp_.bytes);
  if (begin >= end) return;
  static_cast<void>(::madvise(const_cast<std::byte*>(bytes_ + begin), static_cast<std::size_t>(end - begin),
                              MADV_DONTNEED));
}

// A page that was gone while the file says it is unchanged is a page that could not be read.
IoResult<void> MappedSource::verify() {
  const auto now = stamp_of(file_.get());
  if (!now) return tl::unexpected<IoError>(now.error());
  if (!(*now == stamp_)) return failed(IoError::Operation::shrunk, 0, std::min(now->bytes, stamp_.bytes));
  if (faulted()) return failed(IoError::Operation::read, EIO);
  return {};
}

}  // namespace ggufvet
