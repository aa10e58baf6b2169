// What a policy would have done with a stream that has happened: the real decisions, without the
// trainings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "selector/client/selection_spec.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/triggers/decider.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/training_cost.h"
#include "supervisor/triggers/waiting.h"

namespace tidemill::supervisor {

// One retraining that there would have been.
struct BacktestTrigger {
  Cut at;
  int64_t num_new = 0;
  int64_t num_selected = 0;
};

struct BacktestResult {
  // The first kMostBacktestTriggers of them.
  std::vector<BacktestTrigger> triggers;
  int64_t num_triggers = 0;
  int64_t num_decisions = 0;
  int64_t num_selected = 0;  // Trained on, over all triggers.
  int64_t num_leftover = 0;  // Behind the last trigger.
  // Forecast; absent without trainings to forecast from.
  std::optional<double> training_seconds = std::nullopt;
  // From a sample's time to the decision that has it trained on, in seconds of event time; absent
  // without triggers. The longest is from the first sample of a trigger.
  std::optional<double> mean_latency_seconds = std::nullopt;
  std::optional<double> longest_latency_seconds = std::nullopt;
  // By a matrix of models that were trained, as MatrixMean tells; absent without one.
  std::optional<double> value = std::nullopt;
  std::optional<std::pair<double, double>> interval = std::nullopt;
  int64_t num_measured = 0;
  int64_t num_windows_left_out = 0;
};

inline constexpr size_t kMostBacktestTriggers = 10'000;

// How many samples a selection takes at the last of the triggers that had so many new ones each.
// Where that depends on the samples themselves, as many as it may take.
int64_t NumSelected(const selector::SelectionSpec& selection, std::span<const int64_t> num_new);

// Takes a stream in batches, however it is cut. Thread-compatible.
class Backtest {
 public:
  // Decisions equal those of a replay. A policy that decides by what trainings take is told the
  // forecast after each trigger; one that looks at samples is answered by `source`. Models are
  // judged by `matrix`. Both must outlive this object and may be null. FAILED_PRECONDITION for a
  // policy without the forecast or the source that it needs, and for one that looks at what models
  // answer.
  static absl::StatusOr<Backtest> Create(const TriggerSpec& policy,
                                         const selector::SelectionSpec& selection,
                                         const std::optional<TrainingForecast>& forecast,
                                         EvidenceSource* source = nullptr,
                                         const EvaluationMatrix* matrix = nullptr);
  // Of a policy that is answered already.
  Backtest(Decider decider, const selector::SelectionSpec& selection,
           const std::optional<TrainingForecast>& forecast)
      : decider_(std::move(decider)), selection_(selection), forecast_(forecast) {}

  // After an error it is of no more use.
  absl::Status Take(Samples samples);
  BacktestResult Finish() &&;

 private:
  // Samples that lie before the next decision.
  void Wait(Samples samples);
  void Train(const Decision& decision);

  Decider decider_;
  std::optional<MatrixMean> mean_;
  bool extends_ = false;  // No sample has come since the last trigger.
  selector::SelectionSpec selection_;
  std::optional<TrainingForecast> forecast_;
  BacktestResult result_;
  Waiting waiting_;
  std::optional<int64_t> first_waiting_;  // Its event time.
  std::vector<int64_t> num_new_;          // Of each trigger.
  int64_t num_trained_before_ = 0;        // Their sum.
  double waited_ = 0;                     // Sample-seconds, of all triggers.
  double longest_ = 0;
};

}  // namespace tidemill::supervisor
