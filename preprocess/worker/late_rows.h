// Makes batches of which slow rows do not hold up the others.
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

// Runs rows through the graph in groups, on more threads than there are processors: slow rows wait
// for something, most of the time. A group is late when it has been running for long enough while
// all others of its batch are done. Late groups hold a thread each, so there are no more than
// threads, and with them no more batches of which something is missing; when all threads have late
// groups, batches wait for them.
//
// Thread-safe. The destructor waits for late groups.
class LateRows {
 public:
  static constexpr int kNumThreads = 64;
  // Of a group: few wait for a slow one, and each pays little for the call.
  static constexpr int64_t kGroupRows = 8;

  // A batch, or a part of one: the rows that were not late, then those that were, with what the
  // whole batch lacks. Called on any thread.
  using Sink = std::function<void(int64_t number, absl::StatusOr<loader::TrainingBatch> part)>;
  // What is made, for as long as anything of it is late.
  struct Job {
    std::shared_ptr<const loader::BatchMaker> maker;
    std::chrono::microseconds slow_after{0};
    Sink sink;
  };

  explicit LateRows(int num_threads = kNumThreads);

  // Makes batches [from, to). Returns once all rows but late ones were given to the sink; a batch
  // without late rows comes in one piece. Codes of RowGroupMaker::Read(); what fails later is told
  // to the sink.
  absl::Status Make(const std::shared_ptr<const Job>& job, int64_t from, int64_t to,
                    const std::stop_token& stop);

  // Batches of which rows are late.
  int64_t num_late() const { return num_late_; }

 private:
  class Making;

  std::atomic<int64_t> num_late_ = 0;
  WorkerPool pool_;  // Last: its destructor waits for tasks that use all of the above.
};

}  // namespace tidemill::preprocess
