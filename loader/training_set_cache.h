// Sealed training sets that were read lately, for a process that opens the same set for several
// jobs.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// A training with passes, and evaluations of several models on one window, open a set for each pass
// and each model. The selector is asked for the digest each time, so a set that was removed, or
// sealed again, is not served from here. The sets used least recently make room. Thread-safe.
class TrainingSetCache {
 public:
  // Keeps sets of at most `most_bytes` together. A larger one is read each time.
  explicit TrainingSetCache(int64_t most_bytes) : most_bytes_(most_bytes) {}

  // The errors are as in loader::ReadTrainingSet().
  absl::StatusOr<std::shared_ptr<const TrainingSet>> Read(selector::SelectorClient& selector,
                                                          RunId run, int64_t trigger)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::shared_ptr<const TrainingSet> Find(const std::string& digest) ABSL_LOCKS_EXCLUDED(mutex_);
  void Keep(const std::shared_ptr<const TrainingSet>& set) ABSL_LOCKS_EXCLUDED(mutex_);

  const int64_t most_bytes_;
  Mutex mutex_;
  // The most recently used come first. A digest identifies the content of a set.
  std::list<std::shared_ptr<const TrainingSet>> sets_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::loader
