// Computes the value of other triggers from the models of a run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "results/sample_mean.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::supervisor {

// The models of a run on the windows of one of its evaluations, by one measure. Immutable.
class EvaluationMatrix {
 public:
  struct Window {
    Cut from;
    Cut to;
    // Whether any model was measured on samples in it.
    bool has_samples = false;
  };

  // `dataset` and `triggers` define the run's windows. `values` are of one evaluation; other
  // measures, slices and baselines are ignored. `of_pipeline` is as in results::Pool(). Returns the
  // errors of MakeWindows().
  static absl::StatusOr<EvaluationMatrix> Create(
      const evaluator::WindowsSpec& windows, const v1::DatasetSynced& dataset,
      const std::vector<TriggerState>& triggers,
      const std::vector<evaluator::v1::Evaluation>& values, const std::string& measure,
      std::shared_ptr<const evaluator::Measure> of_pipeline = nullptr);

  // The windows, ordered by beginning and then by end.
  const std::vector<Window>& windows() const { return windows_; }
  bool empty() const { return cells_.empty(); }
  // The cuts of the triggers that have a model, ascending, and their numbers.
  const std::vector<Cut>& triggers() const { return triggers_; }
  const std::vector<int64_t>& numbers() const { return numbers_; }
  const std::string& measure() const { return measure_; }
  // The measure with its settings in the pipeline; nullptr when it is unknown.
  const std::shared_ptr<const evaluator::Measure>& of_pipeline() const { return of_pipeline_; }

  // Returns the value on a window of the newest model whose trigger is at or before `trained_to`.
  // It represents a model that would have been trained there. nullptr when there is no such model,
  // or when it has no value.
  const results::Row* At(const Cut& trained_to, size_t window) const;

 private:
  EvaluationMatrix(std::string measure, std::shared_ptr<const evaluator::Measure> of_pipeline)
      : measure_(std::move(measure)), of_pipeline_(std::move(of_pipeline)) {}

  std::string measure_;
  std::shared_ptr<const evaluator::Measure> of_pipeline_;
  std::vector<Window> windows_;
  std::vector<Cut> triggers_;
  std::vector<int64_t> numbers_;
  std::map<std::pair<int64_t, size_t>, results::Row>
      cells_;  // By number of the trigger and window.
};

// The value of the models that a policy would have had active. In each window, the active model is
// that of its last trigger at or before the beginning of the window. results::Pool() combines the
// windows into one value. For the run's own triggers, it is the value of the run's composite series
// `active`. Thread-compatible.
class MatrixMean {
 public:
  // `matrix` must outlive this object.
  explicit MatrixMean(const EvaluationMatrix& matrix)
      : matrix_(&matrix), mean_(matrix.of_pipeline()) {}

  // Adds a trigger. Triggers come in order.
  void Fired(const Cut& at);
  // No sample is between the last trigger and `next`. A model trained up to `next` has therefore
  // seen the same samples.
  void Extend(const Cut& next) { trained_to_ = next; }
  // No further trigger follows.
  void Finish();

  // Returns std::nullopt when there are no samples.
  std::optional<double> Value() const { return mean_.Mean(); }
  // As results::SampleMean.
  std::optional<std::pair<double, double>> Interval() const { return mean_.Interval(); }
  int64_t num_samples() const { return num_samples_; }
  // The number of windows with samples that are not in the mean.
  int64_t num_left_out() const { return num_left_out_; }

  // The model that was in use in a window.
  struct Use {
    const results::Row* cell = nullptr;  // nullptr when nothing was measured.
    int64_t trigger = 0;  // The number of the last trigger, from 1; 0 before the first.
  };
  // One for each window of the matrix, after Finish().
  const std::vector<Use>& uses() const { return uses_; }

 private:
  void Measure(size_t window);

  const EvaluationMatrix* matrix_;
  size_t next_ = 0;                // The windows before it are measured.
  std::optional<Cut> trained_to_;  // The cut of the last trigger.
  int64_t num_fired_ = 0;
  std::vector<Use> uses_;
  results::SampleMean mean_;
  int64_t num_samples_ = 0;
  int64_t num_left_out_ = 0;
};

struct ChosenMatrix {
  std::string dataset;
  std::string measure;
  EvaluationMatrix matrix;
};

// Chooses from a run's finished evaluations by windows of time the one of `measure`. `measure` is a
// name such as `accuracy`, or `accuracy on elec2`; empty means any. Evaluations on the training
// dataset come first, then the order of the pipeline decides. `values` are all that the evaluator
// knows about the run. std::nullopt when there is no value at all. INVALID_ARGUMENT, with the
// existing measures, when there is none of `measure`.
absl::StatusOr<std::optional<ChosenMatrix>> ChooseMatrix(
    const PipelineSpec& spec, const RunState& state, std::vector<evaluator::v1::Evaluation> values,
    const std::string& measure);

}  // namespace tidemill::supervisor
