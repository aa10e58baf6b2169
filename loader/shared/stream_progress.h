// How far a consumer of a stream has come, while several threads make its batches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "base/mutex.h"

namespace tidemill::loader {

// Says which chunk is the lowest that the consumer still needs. A call that makes batches begins
// with a number of a batch, which names it, and gets one chunk after another. Thread-safe.
class StreamProgress {
 public:
  // `in_order`: all batches from `first` on, which begins in `chunk`, are made, each once.
  // Otherwise some of them are, and those below the ones that are being made are taken for done.
  StreamProgress(int64_t first, int64_t chunk, bool in_order)
      : in_order_(in_order), next_(first), chunk_(chunk), lowest_(chunk) {}

  // The call `from` needs chunks from `chunk` on. Returns the lowest chunk that is needed.
  int64_t Begin(int64_t from, int64_t chunk) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    making_[from] = chunk;
    return Lowest();
  }
  // The call `from` has ended, and with it the batches up to `to`, which begins in `chunk`. Returns
  // the lowest chunk that is needed.
  int64_t End(int64_t from, int64_t to, int64_t chunk) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    making_.erase(from);
    if (in_order_) {
      made_[from] = {to, chunk};
      while (!made_.empty() && made_.begin()->first <= next_) {
        Pass(made_.begin()->second);
        made_.erase(made_.begin());
      }
    } else {
      Pass({to, chunk});
    }
    return Lowest();
  }

 private:
  struct Place {
    int64_t batch = 0;
    int64_t chunk = 0;
  };

  void Pass(const Place& place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    next_ = std::max(next_, place.batch);
    chunk_ = std::max(chunk_, place.chunk);
  }

  int64_t Lowest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (const auto& [from, chunk] : making_) lowest = std::min(lowest, chunk);
    const bool awaits_next = in_order_ && !making_.contains(next_);
    if (awaits_next || making_.empty()) lowest = std::min(lowest, chunk_);
    lowest_ = std::max(lowest_, lowest);
    return lowest_;
  }

  const bool in_order_;
  Mutex mutex_;
  std::map<int64_t, int64_t> making_ ABSL_GUARDED_BY(mutex_);  // The chunk that a call needs next.
  std::map<int64_t, Place> made_ ABSL_GUARDED_BY(mutex_);      // Beyond next_, by the first batch.
  int64_t next_ ABSL_GUARDED_BY(mutex_);                       // The first batch that is not made.
  int64_t chunk_ ABSL_GUARDED_BY(mutex_);                      // In which it begins.
  int64_t lowest_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader
