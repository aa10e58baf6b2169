// Waits for services that cannot be reached, and for space on their disks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemill::supervisor {

// Decides how long a run waits for what it needs, and what ends the waiting. A run fails when a
// service was unreachable, or a disk full, for half an hour without progress. A stop ends every
// wait at once. Thread-safe.
class Patience {
 public:
  // The waits for space on a disk.
  struct Wait {
    std::string reason;  // The reason of the first.
    double seconds = 0;  // The sum over all.
  };
  // Called with the reason when a wait for space begins, and with an empty text when it ends.
  // Called by the waiting thread.
  using Listener = std::function<void(const std::string& reason)>;

  // The longest pause between two attempts.
  static constexpr std::chrono::milliseconds kLongestPause{5'000};

  // `run` is for the log.
  explicit Patience(RunId run) : run_(run) {}

  // Sets the listener for waits for space. Call it before all other methods.
  void SetListener(Listener listener) { listener_ = std::move(listener); }
  // Returns the waits for space since the last call. std::nullopt when there were none.
  std::optional<Wait> TakeWait() ABSL_LOCKS_EXCLUDED(mutex_);

  // Repeats a call while it fails because a service cannot be reached or a disk is full. It gives
  // up half an hour after `progress` last grew. Returns the status of the last attempt: OK; an
  // error that retrying does not fix; or, after a stop or when the time is up, the last failure.
  absl::Status RetryTransient(
      const std::function<absl::Status()>& call, const std::function<int64_t()>& progress = [] {
        return int64_t{0};
      }) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns false when a stop was requested during the pause.
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all waiting, present and future.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  bool stop_requested() const { return stop_.stop_requested(); }
  // The token for calls that must end with the waiting.
  std::stop_token token() const { return stop_.get_token(); }

 private:
  class RoomWait;

  void Note(const std::string& reason, double seconds) ABSL_LOCKS_EXCLUDED(mutex_);

  const RunId run_;
  Listener listener_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar wake_;
  std::optional<Wait> wait_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::supervisor
