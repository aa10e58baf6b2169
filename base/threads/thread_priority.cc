#include "base/threads/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace tidemill {

void LowerThreadPriority() {
  // A seventh of an ordinary thread's share where both want the same processor.
  constexpr int kNiceness = 9;
  // On Linux a thread has its own priority. Lowering it is always allowed, and what is beyond the
  // lowest is the lowest.
  static thread_local const int failed =
      setpriority(PRIO_PROCESS, gettid(), getpriority(PRIO_PROCESS, gettid()) + kNiceness);
  static_cast<void>(failed);
}

}  // namespace tidemill
