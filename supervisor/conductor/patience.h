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

// How long a run waits for what it needs, and what ends the waiting: a run fails once a service has
// been away for half an hour without progress, and a stop ends each wait at once. Thread-safe.
class Patience {
 public:
  // No pause between two attempts is longer.
  static constexpr std::chrono::milliseconds kLongestPause{5'000};

  // `run` is named in the log.
  explicit Patience(RunId run) : run_(run) {}

  // Makes a call again while it fails because a service is away, for as long as half an hour after
  // `progress` last grew. Returns the status of the last attempt: OK, an error that says that the
  // call was wrong, or, after a stop and when the time is up, that of the service that is away.
  absl::Status Insist(
      const std::function<absl::Status()>& call, const std::function<int64_t()>& progress = [] {
        return int64_t{0};
      }) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns false when a stop was requested meanwhile.
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all waiting, now and later.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  bool stop_requested() const { return stop_.stop_requested(); }
  // For calls that are to end with the waiting.
  std::stop_token token() const { return stop_.get_token(); }

 private:
  const RunId run_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar wake_;
};

}  // namespace tidemill::supervisor
