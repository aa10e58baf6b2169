// Reports that a command waits for a service.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/mutex.h"
#include "base/threads/periodic_task.h"

namespace tidemill::cli {

// Measures how long a service has not answered while the object lives. After five seconds, says
// "waiting for the supervisor, which has not answered for 5 s", and again each time this time has
// doubled. Thread-safe.
class WaitNote {
 public:
  using Say = std::function<void(const std::string&)>;

  // `say` shows a line, from a thread of this object. Writes to stderr by default.
  explicit WaitNote(std::string service);
  WaitNote(std::string service, Say say);

  // Records that the service has answered. Says so if it was reported as silent.
  void Heard() ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns how long the service has not answered.
  std::chrono::milliseconds Silence() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  void Look() ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string service_;
  const Say say_;
  mutable Mutex mutex_;
  Clock::time_point heard_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  std::chrono::seconds next_ ABSL_GUARDED_BY(mutex_);
  PeriodicTask task_;  // The last member: it starts once all members above exist.
};

}  // namespace tidemill::cli
