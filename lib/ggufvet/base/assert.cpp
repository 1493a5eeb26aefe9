#include "ggufvet/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace ggufvet {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "ggufvet: broken assumption at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace ggufvet
