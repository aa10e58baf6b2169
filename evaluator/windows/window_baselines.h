// Baselines: the scores of rules without a model on the samples of a window. A model's score is
// hard to judge without them.
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
#include "evaluator/outcomes/outcome_keeper.h"
#include "evaluator/outcomes/outcome_table.h"
#include "evaluator/windows/asked_contributions.h"
#include "evaluator/windows/class_outcomes.h"
#include "evaluator/windows/known_labels.h"
#include "evaluator/windows/scored_model.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Always predicts from the labels known when the model in use was trained: for classes, the most
// frequent class (the first of equals), with the shares of all classes as probabilities; for real
// labels, the mean.
inline constexpr std::string_view kConstantBaseline = "constant";
// Predicts the last label that is known at a sample's time (LastLabels). Without one, it predicts
// as kConstantBaseline does. It has no probabilities, so that measures of probabilities leave it
// out.
inline constexpr std::string_view kLastBaseline = "last";

// Measures the baselines on one window, block by block. Thread-compatible.
class WindowBaselines {
 public:
  struct Known {
    // The labels known when the model in use was trained.
    LabelCounts counts;
    // The number of classes that have names; 0 when they have none.
    int64_t num_classes = 0;
    bool is_class = true;
    // Starts at the beginning of the window, and moves through it.
    LastLabels last;
  };

  // `spec` must outlive this object. `window` must name a model in use.
  WindowBaselines(const EvaluationSpec& spec, const v1::JobWindow& window, Known known);

  int64_t model_in_use() const { return window_.window().model_in_use(); }

  // Keeps what the rules say. Call it before Add().
  void Keep(const OutcomeKeeper& keeper);

  // Takes the next block of the window's samples. `rows` are the samples of it that were scored.
  void Add(const batch::Batch& samples, std::span<const size_t> rows);

  // Stops measuring the baselines.
  void Fail(const absl::Status& reason) { status_.Update(reason); }
  const absl::Status& status() const { return status_; }

  // Call it once. The result is empty when no labels were known.
  std::vector<v1::ModelScores> Scores();

 private:
  // The outcomes of one rule. Not movable.
  struct Tally {
    Tally(std::string_view rule, std::vector<MeasureSpec> of_rule, int64_t max_table_bytes);

    std::string_view name;
    const std::vector<MeasureSpec> measures;
    AskedContributions asked;
    std::vector<std::unique_ptr<Accumulator>> accumulators = {};
    OutcomeTable table;
    // The outcomes that are kept after the window, if any.
    std::optional<OutcomeTable> kept = std::nullopt;
  };

  absl::Status AddRows(const batch::Batch& samples, std::span<const size_t> scored);
  // The samples of a block that have labels.
  struct Labelled {
    std::vector<int64_t> keys;
    std::vector<int64_t> times;
    std::vector<std::optional<Label>> last = {};
  };
  absl::Status AddClasses(const Labelled& samples, std::span<const int64_t> truth);
  absl::Status AddValues(const Labelled& samples, std::span<const float> truth);
  // Fails only with a failure of the machine.
  static absl::Status AddTo(Tally& tally, OutcomeBlock block);
  v1::ModelScores ScoresOf(Tally& tally);

  const v1::JobWindow window_;
  Known known_;
  Label constant_;
  // The share of each class. Empty when there are too many classes.
  std::vector<float> shares_;
  Tally constant_tally_;
  Tally last_tally_;
  int64_t num_samples_ = 0;
  absl::Status status_;
};

// Holds the labels that are known in the windows of a job. Thread-compatible.
class Baselines {
 public:
  // `request` has known labels. `dataset` is the evaluated dataset. The dataset of the training has
  // labels of the same kind. `storage` and `spec` must outlive this object.
  Baselines(const storage::StorageClient& storage, const v1::StartEvaluationRequest& request,
            const EvaluationSpec& spec, const storage::DatasetSpec& dataset);

  // Returns nullptr for a window in which no model was in use. When the labels cannot be read, the
  // result holds the reason as its status. Fails only with errors that another attempt may fix.
  absl::StatusOr<std::unique_ptr<WindowBaselines>> Enter(const v1::JobWindow& window);

 private:
  absl::StatusOr<LabelCounts> Find(const v1::Window& window);

  const EvaluationSpec& spec_;
  const storage::LabelSpec label_;
  CountedLabels counted_;
  LastLabels last_;
};

}  // namespace tidemill::evaluator
