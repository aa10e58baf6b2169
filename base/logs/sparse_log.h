// Limits log lines that clients can cause at any rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "base/logs/log.h"
#include "base/mutex.h"

namespace tidemill::log {

// Writes at most a number of lines a second. The others are counted: the next line, or Tell(), is
// preceded by one that says how many were left out. Thread-safe.
class SparseLog {
 public:
  using Clock = std::chrono::steady_clock;

  SparseLog(std::string message, int lines_per_second,
            std::function<Clock::time_point()> now = Clock::now)
      : message_(std::move(message)), lines_per_second_(lines_per_second), now_(std::move(now)) {}

  void Warn(std::initializer_list<Field> fields) ABSL_LOCKS_EXCLUDED(mutex_);
  // Logs the number of lines that were left out since the last report. Meant for a periodic task,
  // because no line follows the last lines of a burst.
  void Tell() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::string message_;
  const int lines_per_second_;
  const std::function<Clock::time_point()> now_;
  Mutex mutex_;
  Clock::time_point second_begin_ ABSL_GUARDED_BY(mutex_) = {};
  int num_lines_ ABSL_GUARDED_BY(mutex_) = 0;  // In this second.
  int64_t num_left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::log
