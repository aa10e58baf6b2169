// Reports unusable samples to storage, where users can list them.
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

// Receives samples that could not be read or converted to tensors. Reports each sample once,
// several at a time, on its own thread. The makers of batches never wait for it. When storage does
// not answer, only the report is lost. Thread-safe.
class BadSamples {
 public:
  using Record = std::function<absl::Status(std::span<const int64_t> keys,
                                            std::span<const std::string> reasons)>;

  explicit BadSamples(Record record);
  // Reports the rest, once.
  ~BadSamples();

  // Samples that were deleted are only counted: nothing is wrong with them.
  void Add(std::span<const Unreadable> samples) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the number of deleted samples added so far, each once, up to the limit of the process.
  int64_t num_deleted() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Flush() ABSL_LOCKS_EXCLUDED(mutex_);

  const Record record_;
  mutable Mutex mutex_;
  std::unordered_set<int64_t> known_ ABSL_GUARDED_BY(mutex_);
  std::unordered_set<int64_t> deleted_ ABSL_GUARDED_BY(mutex_);
  std::vector<Unreadable> waiting_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<PeriodicTask> task_;  // The last member: its thread uses all members above.
};

// Reports to the storage service, which must outlive the result.
std::shared_ptr<BadSamples> RecordBadSamples(const storage::StorageClient& storage,
                                             DatasetId dataset);

}  // namespace tidemill::loader
