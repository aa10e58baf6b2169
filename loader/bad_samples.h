// Tells storage which samples were of no use, so that people find them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// Takes samples that could not be read or turned into tensors, each as often as it is met, and
// passes each on once, some at a time, on a thread of its own. Whoever makes batches never waits
// for it, and a storage that does not answer loses nothing but the record. Thread-safe.
class BadSamples {
 public:
  using Record = std::function<absl::Status(std::span<const int64_t> keys,
                                            std::span<const std::string> reasons)>;

  explicit BadSamples(Record record);
  // Passes on what is left, once.
  ~BadSamples();

  void Add(std::span<const Unreadable> samples) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Flush() ABSL_LOCKS_EXCLUDED(mutex_);

  const Record record_;
  Mutex mutex_;
  std::unordered_set<int64_t> known_ ABSL_GUARDED_BY(mutex_);
  std::vector<Unreadable> waiting_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<PeriodicTask> task_;  // Last: its thread uses all of the above.
};

// Records in the storage service, which must outlive it.
std::shared_ptr<BadSamples> RecordBadSamples(const storage::StorageClient& storage,
                                             DatasetId dataset);

}  // namespace tidemill::loader
