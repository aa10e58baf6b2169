// Measures models on one window, block by block. A block is decoded once for all models that share
// a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/outcomes/outcome_keeper.h"
#include "evaluator/outcomes/outcome_table.h"
#include "evaluator/reading/graph_rows.h"
#include "evaluator/reading/window_samples.h"
#include "evaluator/windows/asked_contributions.h"
#include "evaluator/windows/class_outcomes.h"
#include "evaluator/windows/scored_model.h"
#include "evaluator/windows/slice_columns.h"
#include "evaluator/windows/window_baselines.h"
#include "loader/bad_samples.h"
#include "tidemill/evaluator/v1/job.pb.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::evaluator {

// The parts that the windows of an evaluation share. The measures of the spec have been opened.
struct MeasurementPlan {
  EvaluationSpec spec;
  // The names of the classes. Empty when the classes have no names.
  std::vector<std::string> class_names = {};
  // The schema of the samples, for SliceColumns::Make().
  transform::SampleSchema samples = {};
  // Slices by expressions need it. It outlives the plan.
  const storage::DatasetSpec* dataset = nullptr;
  // The budget for all outcomes of a window that are kept; see OutcomeTable.
  int64_t max_table_bytes = int64_t{256} << 20;
  // Receives the samples that could not be read or transformed; may be nullptr.
  loader::BadSamples* bad = nullptr;
  // Keeps outcomes beyond the window; may be nullptr.
  OutcomeKeeper* keeper = nullptr;
  int64_t model_in_use = 0;
};

// A model that fails on a block is not measured on this window; the others are. The same is true of
// a measure that is a plug-in. Sums cover all samples. Intervals and other values that need single
// samples cover the samples that an OutcomeTable keeps. Thread-compatible.
class WindowMeasurement {
 public:
  // `plan`, the models, and `baselines` if there are any must outlive this object.
  WindowMeasurement(int64_t window_index, const MeasurementPlan& plan,
                    std::span<ScoredModel* const> models, WindowBaselines* baselines = nullptr);

  // Returns the graphs of the models that can be measured: those for which a block may be prepared.
  std::vector<std::shared_ptr<const PreparedGraph>> graphs() const;

  // Takes the next block. Samples without a label are counted, but not measured. So are bad
  // samples, which are also reported to the plan's `bad`. A prepared block has the rows of all
  // graphs() and is for a plan whose slices do not look at records.
  void Add(const SampleBlock& block);

  // Stops measuring all models, because the window cannot be read.
  void Fail(const absl::Status& reason);

  // Returns the scores of each model, in their order, and then the scores of the baselines. Call it
  // once.
  std::vector<v1::ModelScores> Scores();

  // The failure of the machine after which the window must be measured again; OK when there was
  // none. Valid after Scores().
  const absl::Status& interruption() const { return interruption_; }

  // The number of blocks that were run through graphs here so far, added up over graphs.
  int64_t num_graph_runs() const { return num_graph_runs_; }

 private:
  struct Tally {
    ScoredModel* model = nullptr;
    // One for each measure. nullptr for a measure that needs all samples at once.
    std::vector<std::unique_ptr<Accumulator>> accumulators = {};
    AskedContributions asked;
    OutcomeTable table;
    // The outcomes that are kept after the window, for some models.
    std::optional<OutcomeTable> kept = std::nullopt;
    int64_t num_samples = 0;
    int64_t num_bad = 0;  // Samples that the graph could not transform.
    int64_t num_filtered = 0;
    absl::Status status = {};
  };

  // For each column, the slice of each sample of a block.
  using SliceValues = std::vector<std::vector<int32_t>>;

  // Chooses the model whose scored samples the baselines are measured on: the model in use.
  void FindInUse();
  void AddMissing(const std::vector<storage::v1::MissingSample>& missing);
  // `samples` are the labelled ones of the block.
  void AddLabelled(const SampleBlock& block, const batch::Batch& samples);
  // Adds a block to the models of one graph.
  absl::Status AddToGroup(std::span<Tally* const> group, const SampleBlock& block,
                          const batch::Batch& samples, const SliceValues& slices);
  absl::StatusOr<GraphRows> RowsOf(const PreparedGraph& graph, const SampleBlock& block,
                                   const batch::Batch& samples);
  // `slices` and `times` have the same rows as `rows`. Without intervals there are no times.
  absl::Status AddToModel(Tally& tally, const batch::Batch& rows, const SliceValues& slices,
                          std::span<const int64_t> times);
  absl::Status AddClasses(Tally& tally, const batch::Batch& rows, const batch::Column& target,
                          OutcomeBlock block);
  // `derived` is what is kept of the probabilities, whether a measure takes them or not.
  void AddOutcomes(Tally& tally, OutcomeBlock& block, const ClassOutcomes& derived = {});
  // Chooses the models whose outcomes are kept.
  void ChooseKept();
  void SetKept(Tally& tally, v1::ModelScores& scores);
  void SetScores(Tally& tally, v1::ModelScores& scores);
  void AddBaselines(std::vector<v1::ModelScores>& all);

  const int64_t window_index_;
  const MeasurementPlan& plan_;
  const bool with_probabilities_;
  const bool with_scores_;
  const bool with_tables_;
  const bool with_intervals_;
  absl::StatusOr<SliceColumns> columns_;
  std::vector<Tally> tallies_;
  // The tallies of models with the same graph.
  std::vector<std::vector<Tally*>> groups_;
  WindowBaselines* const baselines_;
  // The tally of the model in use, or else of the first model that can be measured. nullptr without
  // baselines.
  const Tally* in_use_ = nullptr;
  int64_t num_graph_runs_ = 0;
  // Counts of the samples of the window. Counts that depend on the model are in the tallies.
  int64_t num_known_ = 0;
  int64_t num_deleted_ = 0;
  int64_t num_unreadable_ = 0;
  int64_t num_unlabelled_ = 0;
  absl::Status interruption_;
};

}  // namespace tidemill::evaluator
