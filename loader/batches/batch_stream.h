// A training set as batches. Background threads read, transform and cut batches ahead of the
// training loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_maker.h"
#include "loader/batches/batch_plan.h"
#include "loader/path/path_clock.h"
#include "loader/path/thread_tuner.h"
#include "loader/read_ahead.h"

namespace tidemill::loader {

// Called on a source's threads for the rows of each batch, to move them to the device that uses
// them. Their numbers must not change.
using SettleRows = std::function<absl::Status(batch::Batch&)>;

struct StreamOptions {
  int num_threads = 2;
  // Threads are added while that makes the training faster, up to this number; see ThreadTuner. 0:
  // there are always `num_threads`.
  int most_threads = 0;
  // The number of threads that was found to be best, which the streams of a training share. The
  // stream begins with it, unless it is 0, and changes it.
  std::shared_ptr<std::atomic<int>> found_threads = nullptr;
  // The bytes of transformed samples that are ready or being made.
  int64_t bytes_ahead = int64_t{64} << 20;
  SettleRows settle = nullptr;
  // Only every stride-th batch is made, from the plan's first batch on: for consumers that take
  // turns.
  int64_t stride = 1;
};

// Makes batches in this process, with a BatchMaker. Thread-compatible.
class BatchStream : public BatchSource {
 public:
  // The errors are as in BatchMaker::Create().
  static absl::StatusOr<std::unique_ptr<BatchStream>> Create(BatchParts parts,
                                                             const BatchPlan& plan,
                                                             const StreamOptions& options);

  int64_t num_samples() const override { return maker_->num_samples(); }
  int64_t num_batches() const override { return maker_->num_batches(); }
  absl::StatusOr<std::optional<TrainingBatch>> Next() override;
  PathWork work() const override;

 private:
  // Consecutive batches that are made together.
  using Chunk = std::vector<TrainingBatch>;

  explicit BatchStream(const StreamOptions& options);
  absl::StatusOr<Chunk> MakeChunk(int64_t from, int64_t to, const std::stop_token& stop) const;
  // Makes the batches at places of the stride, one by one.
  absl::StatusOr<Chunk> MakeInTurn(int64_t from, int64_t to, const std::stop_token& stop) const;
  // Returns how many batches are made together by each of `num_threads` threads.
  int64_t Together(int num_threads) const;
  // Changes the number of threads if it is time for a look, and if that helps.
  void Tune();
  void SetThreads(int num_threads);

  // How the training took batches since the last look of the tuner.
  struct Taken {
    int64_t since_ns = 0;
    int64_t waited_ns = 0;
    int64_t rows = 0;
    int64_t chunks = 0;
    PathWork before = {};
  };

  const StreamOptions options_;
  std::unique_ptr<const BatchMaker> maker_;
  ThreadTuner tuner_;
  PathClock clock_;
  Taken taken_;
  Chunk ready_;                              // The rest of the current chunk, the next batch last.
  std::unique_ptr<ReadAhead<Chunk>> ahead_;  // The last member: its threads use all members above.
};

}  // namespace tidemill::loader
