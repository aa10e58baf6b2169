// What triggers other than a run's own would have made of its models.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "evaluator/client/pooling.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::supervisor {

// The models of a run on the windows of one of its evaluations, by one measure. Immutable.
class EvaluationMatrix {
 public:
  struct Cell {
    double value = 0;
    int64_t num_samples = 0;
    std::string sums = {};  // As in evaluator.v1.Evaluation.
    // The bounds of its interval, where the evaluation made one.
    std::optional<std::pair<double, double>> interval = std::nullopt;
  };
  struct Window {
    Cut from;
    Cut to;
    // Whether any model met samples in it.
    bool has_samples = false;
  };

  // `dataset` and `triggers` are those that the run's windows are cut by. `values` are of one
  // evaluation; other measures and slices are passed over. Fails as MakeWindows() does.
  static absl::StatusOr<EvaluationMatrix> Create(
      const evaluator::WindowsSpec& windows, const v1::DatasetSynced& dataset,
      const std::vector<TriggerState>& triggers,
      const std::vector<evaluator::v1::Evaluation>& values, const std::string& measure);

  // By their beginning and then their end.
  const std::vector<Window>& windows() const { return windows_; }
  bool empty() const { return cells_.empty(); }
  const std::string& measure() const { return measure_; }

  // On a window the newest model whose trigger is at or before `trained_to`, which stands for one
  // that would have been trained there. Null where there is none, and where it has no value.
  const Cell* At(const Cut& trained_to, size_t window) const;

 private:
  explicit EvaluationMatrix(std::string measure) : measure_(std::move(measure)) {}

  std::string measure_;
  std::vector<Window> windows_;
  std::vector<Cut> triggers_;                         // Those that have a model, ascending.
  std::vector<int64_t> numbers_;                      // Of these.
  std::map<std::pair<int64_t, size_t>, Cell> cells_;  // By number of trigger and window.
};

// What the models would have been worth that a policy would have had active: in each window that of
// its last trigger at or before the window's beginning, as evaluator::Pool() makes one value of
// many. For the run's own triggers that is the value of the run's composite series `active`.
// Thread-compatible.
class MatrixMean {
 public:
  // `matrix` must outlive this object.
  explicit MatrixMean(const EvaluationMatrix& matrix) : matrix_(&matrix) {}

  // Triggers come in order.
  void Fired(const Cut& at);
  // Between the last trigger and `next` lies no sample: a model that was trained to `next` has seen
  // the same ones.
  void Extend(const Cut& next) { trained_to_ = next; }
  // No trigger follows.
  void Finish();

  // std::nullopt without samples.
  std::optional<double> Value() const;
  // The bounds of a 95 % interval, as evaluator::PooledInterval() makes them. Absent unless each
  // window has one and no two of them overlap.
  std::optional<std::pair<double, double>> Interval() const;
  int64_t num_samples() const { return num_samples_; }
  // Windows with samples that have no part in the mean.
  int64_t num_left_out() const { return num_left_out_; }

 private:
  void Measure(size_t window);
  std::optional<evaluator::PooledValue> Pooled() const;

  const EvaluationMatrix* matrix_;
  size_t next_ = 0;                // The windows before it are measured.
  std::optional<Cut> trained_to_;  // By the last trigger.
  std::vector<const EvaluationMatrix::Cell*> cells_;
  // Of those that have one, as long as no two overlap.
  std::vector<evaluator::WindowInterval> intervals_;
  bool overlap_ = false;
  std::optional<Cut> measured_to_;
  int64_t num_samples_ = 0;
  int64_t num_left_out_ = 0;
};

struct ChosenMatrix {
  std::string dataset;
  std::string measure;
  EvaluationMatrix matrix;
};

// Of a run's finished evaluations by windows of time that of `measure`, which is a name such as
// `accuracy`, or `accuracy on elec2`; empty for any. Evaluations on the dataset that is trained on
// come first, then the order of the pipeline decides. `values` are all that the evaluator knows of
// the run. std::nullopt when there is no value at all; INVALID_ARGUMENT, with the measures that
// there are, when there is none of `measure`.
absl::StatusOr<std::optional<ChosenMatrix>> ChooseMatrix(
    const PipelineSpec& spec, const RunState& state, std::vector<evaluator::v1::Evaluation> values,
    const std::string& measure);

}  // namespace tidemill::supervisor
