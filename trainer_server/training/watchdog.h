// Notices when a training makes no more progress.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/threads/periodic_task.h"

namespace tidemill::trainer_server {

// Calls `expire`, on its own thread, when no progress was reported for `limit`. It is for code that
// may hang and cannot be interrupted: the only remedy is to end the process. While `is_excused`
// returns true, the time does not count. Thread-safe.
class Watchdog {
 public:
  Watchdog(std::chrono::microseconds limit, std::function<void()> expire,
           std::function<bool()> is_excused = nullptr);

  void Progress();

 private:
  const std::chrono::microseconds limit_;
  const std::function<void()> expire_;
  const std::function<bool()> is_excused_;  // May be empty.
  std::atomic<std::chrono::steady_clock::rep> last_;
  std::atomic<bool> has_expired_ = false;
  PeriodicTask task_;  // The last member: its thread uses all members above.
};

}  // namespace tidemill::trainer_server
