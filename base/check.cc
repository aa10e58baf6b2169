#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tidemill::internal {

// Neither allocates nor logs: the memory of the program may be damaged.
void FailCheck(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: a precondition does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tidemill::internal
