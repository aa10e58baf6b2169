// A training set as batches: reads, transforms and cuts on threads of its own, ahead of the loop
// that trains.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/decoded_samples.h"
#include "loader/read_ahead.h"
#include "loader/sample_order.h"
#include "loader/subset.h"
#include "loader/training_set.h"
#include "transform/graph.h"

namespace tidemill::loader {

// Which batches to give.
struct BatchPlan {
  int64_t batch_size = 1;
  int64_t epochs = 1;
  // Seeds the order of an epoch; its `epoch` is set by the stream.
  RandomKey shuffle;
  models::OrderSpec order = models::FullOrder{};
  // Which samples an epoch visits: those of one or the other, else all.
  std::shared_ptr<const Subset> subset = nullptr;  // Shared with whoever chose it.
  std::optional<RepeatedDraw> draw = std::nullopt;
  // The number of the first epoch, for whom the epochs before had other samples.
  int64_t first_epoch = 0;
  // Without: what is random in the graph is not, as when a model is measured.
  bool training = true;
  // Batches, counted through all epochs, to leave out at the beginning: those that a resumed
  // training has had.
  int64_t first_batch = 0;
};

struct StreamOptions {
  int num_threads = 2;
  // Bytes of transformed samples held ready or in the making.
  int64_t bytes_ahead = int64_t{64} << 20;
  // Rows are taken from there, and given to it once read. Not for a graph that is random in
  // training; it must have been made for the same set.
  std::shared_ptr<DecodedSamples> kept = nullptr;  // Shared with the streams before and after.
  // Called on the stream's threads for the rows of each batch, to settle them where they are to be
  // used. They hold the same numbers afterwards.
  std::function<absl::Status(batch::Batch&)> settle = nullptr;
};

// Reads through a SampleReader and runs the graph in this process, with random ops drawing by the
// shuffle's seed and trigger. Batches depend on the set, the plan and the samples, never on threads
// or timing. Thread-compatible.
class BatchStream : public BatchSource {
 public:
  // `fitted`: nullptr for a graph that learns nothing. INVALID_ARGUMENT for a graph without target.
  static absl::StatusOr<std::unique_ptr<BatchStream>> Create(
      std::shared_ptr<const TrainingSet> set, SampleReader reader,
      std::shared_ptr<const transform::Graph> graph,
      std::shared_ptr<const transform::FittedState> fitted, const BatchPlan& plan,
      const StreamOptions& options);

  int64_t num_samples() const override;
  int64_t num_batches() const override;
  absl::StatusOr<std::optional<TrainingBatch>> Next() override;

 private:
  // Consecutive batches, read together.
  using Chunk = std::vector<TrainingBatch>;

  BatchStream() = default;
  absl::StatusOr<Chunk> ReadChunk(int64_t from, int64_t to, const std::stop_token& stop) const;
  // The same for batches of one epoch.
  absl::StatusOr<Chunk> ReadBatches(int64_t from, int64_t to, const std::stop_token& stop) const;
  std::vector<int64_t> OrdinalsOf(int64_t epoch, int64_t first, int64_t last) const;
  absl::StatusOr<Rows> Read(std::span<const int64_t> ordinals, const transform::RunContext& context,
                            const std::stop_token& stop) const;
  absl::StatusOr<Chunk> Cut(const Rows& rows, std::span<const int64_t> ordinals,
                            int64_t from) const;
  absl::StatusOr<Chunk> CutKept(const Rows& rows, std::span<const int64_t> ordinals,
                                std::vector<int64_t> places, int64_t from) const;
  absl::Status Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                      const std::string& reason) const;

  std::shared_ptr<const TrainingSet> set_;  // Shared with whoever trains on it several times.
  SampleReader reader_;
  std::shared_ptr<const transform::Graph> graph_;  // Shared with the job that made them.
  std::shared_ptr<const transform::FittedState> fitted_;
  BatchPlan plan_;
  std::unique_ptr<const SampleOrder> order_;
  std::shared_ptr<DecodedSamples> kept_;
  std::function<absl::Status(batch::Batch&)> settle_;
  Chunk ready_;                              // The rest of the present chunk, the next batch last.
  std::unique_ptr<ReadAhead<Chunk>> ahead_;  // Last: its threads use all of the above.
};

}  // namespace tidemill::loader
