// Waits for services that are away.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemill::supervisor {

// Decides how long a run waits for what it needs, and what ends the waiting. A run fails when a
// service was away for half an hour without progress. A stop ends every wait at once. Thread-safe.
class Patience {
 public:
  // The longest pause between two attempts.
  static constexpr std::chrono::milliseconds kLongestPause{5'000};

  // `run` is for the log.
  explicit Patience(RunId run) : run_(run) {}

  // Repeats a call while it fails because a service is away. It gives up half an hour after
  // `progress` last grew. Returns the status of the last attempt: OK; an error that says that the
  // call was wrong; or, after a stop or when the time is up, the status of the service that is
  // away.
  absl::Status Insist(
      const std::function<absl::Status()>& call, const std::function<int64_t()>& progress = [] {
        return int64_t{0};
      }) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns false when a stop was requested meanwhile.
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all waiting, present and future.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  bool stop_requested() const { return stop_.stop_requested(); }
  // The token for calls that must end with the waiting.
  std::stop_token token() const { return stop_.get_token(); }

 private:
  const RunId run_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar wake_;
};

}  // namespace tidemill::supervisor
