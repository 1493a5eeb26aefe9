// GGUFVET_ASSERT: for our own mistakes only, always on, aborts. Input can never trip one; if it does, that is
// a bug of ours that a fuzzer should find.
#pragma once

namespace ggufvet {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace ggufvet

#define GGUFVET_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::ggufvet::assertion_failed(#condition, __FILE__, __LINE__))
