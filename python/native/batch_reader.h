// Reads the batches of a training set for Python.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "loader/batch_source.h"
#include "python/native/read_request.h"

namespace tidemill::python {

// A pass over a training set: the batches that a training of the run's trigger reads, bit for bit.
// One batch is taken ahead, so that the reader's thread can wait with a limit. Methods are called
// by one thread at a time. Close() and the destructor wait for the batch that is being made.
class BatchReader {
 public:
  // `pipeline` is the resolved pipeline of the run. With `keys`, the pass is over these samples in
  // place of the training set's. NOT_FOUND for a run without that trigger, or while a
  // graph that learns has no model yet. INVALID_ARGUMENT, FAILED_PRECONDITION as
  // preprocess::OpenHere() and OpenAtWorkers().
  static absl::StatusOr<std::unique_ptr<BatchReader>> Open(const ReadRequest& request,
                                                           std::string_view pipeline,
                                                           std::span<const int64_t> keys);

  // The samples of an epoch in this rank's part, holes included, and the batches of an epoch.
  int64_t num_samples() const { return num_samples_; }
  int64_t num_batches() const { return num_batches_; }
  int64_t num_epochs() const { return num_epochs_; }
  int64_t batch_size() const { return batch_size_; }

  // What Next() returns.
  struct Taken {
    bool is_ready = false;
    // Absent after the last batch.
    std::optional<loader::TrainingBatch> batch = std::nullopt;
  };
  // Waits for the next batch, but no longer than `patience`; then it is not ready, and the caller
  // calls again. After an error, every call returns it.
  absl::StatusOr<Taken> Next(std::chrono::milliseconds patience) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the pass: Next() then fails with FAILED_PRECONDITION.
  void Close();

 private:
  using Batch = absl::StatusOr<std::optional<loader::TrainingBatch>>;

  BatchReader(std::unique_ptr<loader::BatchSource> source, int64_t num_epochs, int64_t batch_size);
  void TakeAhead() ABSL_LOCKS_EXCLUDED(mutex_);

  std::unique_ptr<loader::BatchSource> source_;
  const int64_t num_samples_;
  const int64_t num_batches_;
  const int64_t num_epochs_;
  const int64_t batch_size_;
  Mutex mutex_;
  CondVar changed_;
  std::optional<Batch> next_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<WorkerPool>
      thread_;  // The last member: it uses all members above. nullptr once closed.
};

}  // namespace tidemill::python
