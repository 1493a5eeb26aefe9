// Memory for tables of megabytes. A kernel gives memory page by page at its first touch, which may cost more
// than what is done with it: 2 MiB in pages of 4 KiB took six times as long to get as in one page. The kernel
// is asked for large pages where there are such; a refusal changes nothing but the time.
#pragma once

#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ggufvet {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePageBytes) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{kHugePageBytes});
#ifdef MADV_HUGEPAGE
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kHugePageBytes)
      ::operator delete(memory);
    else
      ::operator delete (memory, std::align_val_t{kHugePageBytes});
  }
  friend bool operator==(HugePageAllocator, HugePageAllocator) { return true; }

 private:
  static constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
};

}  // namespace ggufvet
