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
#include "evaluator/job/outcome_table.h"
#include "evaluator/job/scored_model.h"
#include "evaluator/job/slice_columns.h"
#include "evaluator/job/window_baselines.h"
#include "tidemill/evaluator/v1/job.pb.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::evaluator {

// What the windows of an evaluation have in common.
struct MeasurementPlan {
  EvaluationSpec spec;
  // By class; empty when the classes have no names.
  std::vector<std::string> class_names = {};
  // What is sliced by column; SliceColumns::Make() takes them.
  transform::SampleSchema samples = {};
  // For all outcomes of a window that are kept; see OutcomeTable.
  int64_t max_table_bytes = int64_t{256} << 20;
};

// A model that fails on a block is not measured on this window; the others are. Sums are of all
// samples; what needs the samples themselves, such as an interval, is of those that an OutcomeTable
// keeps. Thread-compatible.
class WindowMeasurement {
 public:
  // `plan`, the models and `baselines`, where there are any, must outlive it.
  WindowMeasurement(int64_t window_index, const MeasurementPlan& plan,
                    std::span<ScoredModel* const> models, WindowBaselines* baselines = nullptr);

  // Takes the next block of samples, and how many samples could not be read beside them. Samples
  // without a label are counted, and nothing is measured on them.
  void Add(const batch::Batch& samples, int64_t num_missing);

  // Gives up the models for the reason that the window cannot be read.
  void Fail(const absl::Status& reason);

  // One for each model, in their order, and then those of the baselines. To be called once.
  std::vector<v1::ModelScores> Scores();

  // Blocks turned into tensors so far, for each graph.
  int64_t num_graph_runs() const { return num_graph_runs_; }

 private:
  struct Tally {
    ScoredModel* model = nullptr;
    // One for each measure; nullptr where a measure needs all samples at once.
    std::vector<std::unique_ptr<Accumulator>> accumulators = {};
    OutcomeTable table;
    int64_t num_samples = 0;
    int64_t num_skipped = 0;
    absl::Status status = {};
  };

  // By column, the slice of each sample of a block.
  using SliceValues = std::vector<std::vector<int32_t>>;

  // Chooses whose samples the baselines are measured on: those of the model in use.
  void FindInUse();
  void AddLabelled(const batch::Batch& samples);
  // Adds a block to the models of one graph.
  absl::Status AddToGroup(std::span<Tally* const> group, const batch::Batch& samples,
                          const SliceValues& slices);
  // `slices` has the rows of `transformed`.
  absl::Status AddToModel(Tally& tally, const batch::Batch& transformed, const SliceValues& slices);
  absl::Status AddClasses(Tally& tally, const batch::Batch& transformed,
                          const batch::Column& target, OutcomeBlock block);
  void AddOutcomes(Tally& tally, const OutcomeBlock& block);
  void SetScores(Tally& tally, v1::ModelScores& scores);
  void AddBaselines(std::vector<v1::ModelScores>& all);

  const int64_t window_index_;
  const MeasurementPlan& plan_;
  const bool with_probabilities_;
  const bool with_scores_;
  const bool with_tables_;
  absl::StatusOr<SliceColumns> columns_;
  std::vector<Tally> tallies_;
  // Tallies of models with the same graph.
  std::vector<std::vector<Tally*>> groups_;
  WindowBaselines* const baselines_;
  // Of the model in use, or else of the first one that can be measured; nullptr without baselines.
  const Tally* in_use_ = nullptr;
  int64_t num_graph_runs_ = 0;
  int64_t num_unlabelled_ = 0;
};

}  // namespace tidemill::evaluator
