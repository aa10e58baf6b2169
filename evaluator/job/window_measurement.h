// Measures models on one window, block by block: a block is decoded once for all models that share
// a graph, whatever their number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/job/scored_model.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// A model that fails on a block is not measured on this window; the others are. Thread-compatible.
class WindowMeasurement {
 public:
  // `measures` and the models must outlive it.
  WindowMeasurement(int64_t window_index, std::span<const MeasureSpec> measures,
                    std::span<ScoredModel* const> models);

  // Takes the next block of samples, and how many samples could not be read beside them.
  void Add(const batch::Batch& samples, int64_t num_missing);

  // Gives up the models for the reason that the window cannot be read.
  void Fail(const absl::Status& reason);

  // One for each model, in their order.
  std::vector<v1::ModelScores> Scores() const;

  // Blocks turned into tensors so far, for each graph.
  int64_t num_graph_runs() const { return num_graph_runs_; }

 private:
  struct Tally {
    ScoredModel* model = nullptr;
    std::vector<std::unique_ptr<Accumulator>> accumulators = {};
    int64_t num_samples = 0;
    int64_t num_skipped = 0;
    absl::Status status = {};
  };

  // Adds a block to the models of one graph.
  absl::Status AddToGroup(std::span<Tally* const> group, const batch::Batch& samples);
  absl::Status AddToModel(Tally& tally, const batch::Batch& transformed);

  const int64_t window_index_;
  const std::span<const MeasureSpec> measures_;
  std::vector<Tally> tallies_;
  // Tallies of models with the same graph.
  std::vector<std::vector<Tally*>> groups_;
  int64_t num_graph_runs_ = 0;
};

}  // namespace tidemill::evaluator
