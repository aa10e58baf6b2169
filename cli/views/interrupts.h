// Ctrl-C while a command waits for runs.
#pragma once

#include <signal.h>

namespace tidemill::cli {

// Counts Ctrl-C instead of ending by it, while in scope. One per process at a time.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // How often it was pressed. Thread-safe.
  static int Count();

 private:
  struct sigaction before_ {};
};

}  // namespace tidemill::cli
