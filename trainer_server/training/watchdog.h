// Notices when a training no longer comes forward.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/threads/periodic_task.h"

namespace tidemill::trainer_server {

// Calls `expire`, on a thread of its own, once no progress was told for `limit`. For code that may
// hang and cannot be interrupted: all that is left then is to end the process. Thread-safe.
class Watchdog {
 public:
  Watchdog(std::chrono::microseconds limit, std::function<void()> expire);

  void Progress();

 private:
  const std::chrono::microseconds limit_;
  const std::function<void()> expire_;
  std::atomic<std::chrono::steady_clock::rep> last_;
  std::atomic<bool> has_expired_ = false;
  PeriodicTask task_;  // Last: its thread uses all of the above.
};

}  // namespace tidemill::trainer_server
