// The feed for the watchers of a run: every event once, and the newest progress.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Watchers pull at their own pace. Each has a Cursor and asks for the next message. Nothing is
// queued for a watcher, so a watcher that stalls costs nothing and blocks no other thread. It
// misses progress, never events. Thread-safe.
class RunFeed {
 public:
  // The position of a watcher.
  struct Cursor {
    int64_t after_sequence = 0;
    int64_t progress_version = 0;
    bool finished = false;
  };

  // Adds an event; sequences ascend. Does nothing when the event exists already.
  void Append(v1::WatchRunResponse::Event event) ABSL_LOCKS_EXCLUDED(mutex_);
  // Replaces the progress.
  void Report(v1::Progress progress) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the feed with `final`.
  void Close(v1::Run final) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the next message after the cursor, and moves the cursor: events in order, then newer
  // progress, then the final run, once. std::nullopt while there is none.
  std::optional<v1::WatchRunResponse> Next(Cursor& cursor) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `wake` after every change until Unsubscribe(). `wake` must not block. A call in progress
  // may still arrive after Unsubscribe().
  int64_t Subscribe(std::function<void()> wake) ABSL_LOCKS_EXCLUDED(mutex_);
  void Unsubscribe(int64_t subscription) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void WakeAll() ABSL_LOCKS_EXCLUDED(mutex_);

  mutable Mutex mutex_;
  std::vector<v1::WatchRunResponse::Event> events_ ABSL_GUARDED_BY(mutex_);
  v1::Progress progress_ ABSL_GUARDED_BY(mutex_);
  int64_t progress_version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<v1::Run> final_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, std::function<void()>> wakes_ ABSL_GUARDED_BY(mutex_);
  int64_t next_subscription_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace tidemill::supervisor
