// Makes batches so that slow rows do not hold up the others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "loader/batches/batch_maker.h"

namespace tidemill::preprocess {

// Runs rows through the graph in groups, on more threads than there are processors, because slow
// rows mostly wait for something. A group is late when it has been running for long enough while
// all other groups of its batch are done. A late group holds a thread. The number of threads
// therefore limits the late groups, and with them the incomplete batches. When late groups hold all
// threads, batches wait for them.
//
// Thread-safe. The destructor waits for late groups.
class LateRows {
 public:
  static constexpr int kNumThreads = 64;
  // The rows of a group. It is small enough that few rows wait for a slow one, and large enough
  // that the cost of a call per row is small.
  static constexpr int64_t kGroupRows = 8;

  // Gets a batch or a part of one: first the rows that were not late, later the late rows, with the
  // counts of the rows that the batch lacks. Called on any thread.
  using Sink = std::function<void(int64_t number, absl::StatusOr<loader::TrainingBatch> part)>;
  // The job and the graph of the rows. It lives as long as one of its groups is late.
  struct Job {
    std::shared_ptr<const loader::BatchMaker> maker;
    std::chrono::microseconds slow_after{0};
    Sink sink;
  };

  explicit LateRows(int num_threads = kNumThreads);

  // Makes the batches [from, to). Returns once the sink has all rows that are not late. A batch
  // without late rows comes in one piece. Returns the errors of RowGroupMaker::Read(). Later
  // failures go to the sink.
  absl::Status Make(const std::shared_ptr<const Job>& job, int64_t from, int64_t to,
                    const std::stop_token& stop);

  // The number of batches with late rows.
  int64_t num_late() const { return num_late_; }

 private:
  class Making;

  std::atomic<int64_t> num_late_ = 0;
  WorkerPool pool_;  // The last member: its destructor waits for tasks that use all members above.
};

}  // namespace tidemill::preprocess
