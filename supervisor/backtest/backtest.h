// Finds what a policy would have done with a past stream. The decisions are the real ones; there
// are no trainings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "selector/client/selection_spec.h"
#include "supervisor/backtest/asked_models.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/triggers/decider.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/training_cost.h"
#include "supervisor/triggers/waiting.h"

namespace tidemill::supervisor {

// One retraining that would have happened.
struct BacktestTrigger {
  Cut at;
  int64_t num_new = 0;
  int64_t num_selected = 0;
};

struct BacktestResult {
  // The first kMaxBacktestTriggers triggers.
  std::vector<BacktestTrigger> triggers;
  int64_t num_triggers = 0;
  int64_t num_decisions = 0;
  // Decisions that a plug-in could not make, and why it could not make the first of them.
  int64_t num_faults = 0;
  std::string first_fault = {};
  int64_t num_selected = 0;  // The number of samples trained on, over all triggers.
  int64_t num_leftover = 0;  // The number of samples after the last trigger.
  // A forecast. Absent when there were no trainings to forecast from.
  std::optional<double> training_seconds = std::nullopt;
  // The time from a sample to the decision that trains on it, in seconds of event time. Absent
  // without triggers. The longest is from the first sample of a trigger.
  std::optional<double> mean_latency_seconds = std::nullopt;
  std::optional<double> longest_latency_seconds = std::nullopt;
  // The value from a matrix of models that were trained, as MatrixMean computes it. Absent without
  // a matrix.
  std::optional<double> value = std::nullopt;
  std::optional<std::pair<double, double>> interval = std::nullopt;
  int64_t num_measured = 0;
  int64_t num_windows_left_out = 0;
  // The model that was in use in each window of the matrix.
  std::vector<MatrixMean::Use> uses = {};
  // As AskedModels counts it. Absent when no models could be asked.
  std::optional<int64_t> num_between_models = std::nullopt;
  std::vector<std::string> differences = {};
};

// The sources from which policies and their triggers are judged. All may be nullptr, and must
// outlive the backtest.
struct BacktestSources {
  EvidenceSource* samples = nullptr;         // Evidence about samples, without models.
  AskedModels* models = nullptr;             // Evidence about samples and models.
  const EvaluationMatrix* matrix = nullptr;  // The quality of the models.
};

inline constexpr size_t kMaxBacktestTriggers = 10'000;

// Returns how many samples a selection chooses at the last of several triggers, each with the given
// number of new samples that have a label. When that depends on the samples themselves, returns the
// most it may choose.
int64_t NumSelected(const selector::SelectionSpec& selection, std::span<const int64_t> num_new);

// Reads a stream in batches of any size. Thread-compatible.
class Backtest {
 public:
  // The decisions equal those of a replay. After each trigger, a policy that decides by the cost of
  // trainings gets the forecast. FAILED_PRECONDITION when the policy needs a forecast or a source
  // that is missing.
  static absl::StatusOr<Backtest> Create(const TriggerSpec& policy,
                                         const selector::SelectionSpec& selection,
                                         const std::optional<TrainingForecast>& forecast,
                                         const BacktestSources& sources = {});
  // For a policy that has its evidence already.
  Backtest(Decider decider, const selector::SelectionSpec& selection,
           const std::optional<TrainingForecast>& forecast)
      : decider_(std::move(decider)), selection_(selection), forecast_(forecast) {}

  // From now on Take() calls `is_wanted` before each decision, and returns CANCELLED when the
  // result is false.
  void EndUnless(std::function<bool()> is_wanted) { is_wanted_ = std::move(is_wanted); }

  // `unlabelled` are the places in `samples` of those without a label, ascending: policies see
  // them, and trainings leave them out. After an error, the object cannot be used any more.
  absl::Status Take(Samples samples, std::span<const size_t> unlabelled = {});
  BacktestResult Finish() &&;

 private:
  // The first sample after the last trigger has arrived.
  void Extend(const Cut& next);
  // Adds samples before the next decision.
  void Wait(Samples samples);
  void Train(const Decision& decision);

  Decider decider_;
  std::function<bool()> is_wanted_;  // nullptr when the backtest is always wanted.
  std::optional<MatrixMean> mean_;
  AskedModels* models_ = nullptr;
  bool extends_ = false;  // Whether no sample has come since the last trigger.
  Cut last_sample_ = {};  // The last of those taken.
  selector::SelectionSpec selection_;
  std::optional<TrainingForecast> forecast_;
  BacktestResult result_;
  Waiting waiting_;
  std::optional<int64_t> first_waiting_;  // Its event time.
  int64_t num_unlabelled_ = 0;            // Since the last trigger.
  std::vector<int64_t> num_labelled_;     // The new samples with a label, one number per trigger.
  int64_t num_waited_ = 0;                // The new samples of all triggers.
  double waited_ = 0;                     // In sample-seconds, over all triggers.
  double longest_ = 0;
};

}  // namespace tidemill::supervisor
