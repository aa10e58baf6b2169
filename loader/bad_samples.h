// Reports to storage the samples that could not be used, so that people find them.
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

// Takes samples that could not be read or turned into tensors, each as often as it is met. Reports
// each sample once, some at a time, on a thread of its own. The makers of batches never wait for
// it. When storage does not answer, only the report is lost. Thread-safe.
class BadSamples {
 public:
  using Record = std::function<absl::Status(std::span<const int64_t> keys,
                                            std::span<const std::string> reasons)>;

  explicit BadSamples(Record record);
  // Reports the rest, once.
  ~BadSamples();

  void Add(std::span<const Unreadable> samples) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Flush() ABSL_LOCKS_EXCLUDED(mutex_);

  const Record record_;
  Mutex mutex_;
  std::unordered_set<int64_t> known_ ABSL_GUARDED_BY(mutex_);
  std::vector<Unreadable> waiting_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<PeriodicTask> task_;  // The last member: its thread uses all members above.
};

// Reports to the storage service, which must outlive the result.
std::shared_ptr<BadSamples> RecordBadSamples(const storage::StorageClient& storage,
                                             DatasetId dataset);

}  // namespace tidemill::loader
