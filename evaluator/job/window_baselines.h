// What rules without a model would have reached on the samples of a window: a score says little
// beside nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/job/class_outcomes.h"
#include "evaluator/job/known_labels.h"
#include "evaluator/job/outcome_table.h"
#include "evaluator/job/scored_model.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/storage_client.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Always says what was known of labels when the model in use was trained: of classes the most
// frequent one (of equal ones the first), with the shares of all as probabilities; of real labels
// the mean.
inline constexpr std::string_view kConstantBaseline = "constant";
// Says the last label that is known at a sample's time (LastLabels), and what kConstantBaseline
// says where none is. It has no probabilities, so measures of those leave it out.
inline constexpr std::string_view kLastBaseline = "last";

// Measures the baselines on one window, block by block. Thread-compatible.
class WindowBaselines {
 public:
  struct Known {
    // When the model in use was trained.
    LabelCounts counts;
    // The places of classes that have names; 0 when they have none.
    int64_t num_classes = 0;
    bool is_class = true;
    // At the window's beginning; goes on with the window.
    LastLabels last;
  };

  // `spec` must outlive it. `window` names a model in use.
  WindowBaselines(const EvaluationSpec& spec, const v1::JobWindow& window, Known known);

  int64_t model_in_use() const { return window_.window().model_in_use(); }

  // The next block of the window's samples, of which `rows` were scored.
  void Add(const batch::Batch& samples, std::span<const size_t> rows);

  // Gives the baselines up.
  void Fail(const absl::Status& reason) { status_.Update(reason); }
  const absl::Status& status() const { return status_; }

  // To be called once; none where nothing was known.
  std::vector<v1::ModelScores> Scores();

 private:
  // The outcomes of one rule.
  struct Tally {
    std::string_view name;
    std::vector<MeasureSpec> measures = {};
    std::vector<std::unique_ptr<Accumulator>> accumulators = {};
    OutcomeTable table;
  };

  absl::Status AddRows(const batch::Batch& samples, std::span<const size_t> scored);
  void AddClasses(std::span<const int64_t> keys, std::span<const int64_t> truth,
                  std::span<const std::optional<Label>> last);
  void AddValues(std::span<const int64_t> keys, std::span<const float> truth,
                 std::span<const std::optional<Label>> last);
  static void AddTo(Tally& tally, const OutcomeBlock& block);
  v1::ModelScores ScoresOf(Tally& tally) const;

  const v1::JobWindow window_;
  Known known_;
  Label constant_;
  // The share of each class, by class; empty where they are too many.
  std::vector<float> shares_;
  Tally constant_tally_;
  Tally last_tally_;
  int64_t num_samples_ = 0;
  absl::Status status_;
};

// Knows the labels of a job's windows. Thread-compatible.
class Baselines {
 public:
  // `request` has known labels. `dataset` is evaluated; the one that is trained on has labels of
  // its kind. `storage` and `spec` must outlive it.
  Baselines(const storage::StorageClient& storage, const v1::StartEvaluationRequest& request,
            const EvaluationSpec& spec, const storage::DatasetSpec& dataset);

  // nullptr for a window in which no model was in use. What the labels cannot be had for is the
  // status of what it returns; fails only with what another attempt may mend.
  absl::StatusOr<std::unique_ptr<WindowBaselines>> Enter(const v1::JobWindow& window);

 private:
  absl::StatusOr<LabelCounts> Find(const v1::Window& window);

  const EvaluationSpec& spec_;
  const storage::LabelSpec label_;
  CountedLabels counted_;
  LastLabels last_;
};

}  // namespace tidemill::evaluator
