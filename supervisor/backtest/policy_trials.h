// Runs several policies on one history.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "selector/client/selection_spec.h"
#include "supervisor/backtest/asked_models.h"
#include "supervisor/backtest/backtest.h"
#include "supervisor/backtest/compared_policies.h"
#include "supervisor/backtest/past_stream.h"
#include "supervisor/backtest/shuffled_history.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/training_cost.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Has one Backtest per policy, and shows the same samples to all. When some policies read samples,
// it keeps the history, as times and keys, to count false alarms on shuffles of it.
// Thread-compatible.
class PolicyTrials {
 public:
  // The quality of the models of a run, and the models; nullptr when they were not requested.
  struct Run {
    const EvaluationMatrix* matrix = nullptr;
    const StoredModels* models = nullptr;
  };
  // `past` and what `run` names must outlive this object. Before each decision, `is_wanted` is
  // called; when it returns false, the caller no longer waits for the results.
  PolicyTrials(const PastStream& past, const selector::SelectionSpec& selection,
               const std::optional<TrainingForecast>& forecast, const Run& run,
               std::function<bool()> is_wanted)
      : past_(past),
        selection_(selection),
        forecast_(forecast),
        run_(run),
        is_wanted_(std::move(is_wanted)) {}

  // Puts the policies at the beginning of the stream. Call it first, and once. When the pipeline's
  // own policy cannot be tried and was not requested, it is left out, and `final` says why. Also
  // returns the errors of Backtest::Create(), with the policy's name.
  absl::Status Begin(const std::vector<NamedPolicy>& policies, int num_shuffles,
                     v1::WatchBacktestResponse::Final& final);
  // Takes the next samples, as Backtest::Take() does. An error has the name of its policy.
  absl::Status Take(Samples samples, std::span<const size_t> unlabelled);
  // Adds a result for each policy. The object cannot be used afterwards.
  absl::Status Finish(v1::WatchBacktestResponse::Final& final);

 private:
  struct Trial {
    NamedPolicy policy;
    std::unique_ptr<AskedModels> models;  // nullptr when there are no models.
    Backtest test;
  };
  absl::Status OpenEvidence();
  absl::StatusOr<Trial> BeginTrial(NamedPolicy policy);
  absl::StatusOr<Backtest> BeginTest(const NamedPolicy& policy,
                                     const BacktestSources& sources) const;
  void DescribeRun(v1::WatchBacktestResponse::Final& final) const;
  bool CountsFalseAlarms(const NamedPolicy& policy) const;
  absl::StatusOr<double> NumFalseAlarms(const NamedPolicy& policy) const;

  const PastStream& past_;
  const selector::SelectionSpec selection_;
  const std::optional<TrainingForecast> forecast_;
  const Run run_;
  const std::function<bool()> is_wanted_;
  std::unique_ptr<EvidenceKeys> keys_;
  std::unique_ptr<EvidenceSource> evidence_;
  std::unique_ptr<ModelAnswers> answers_;
  std::vector<Trial> trials_;
  // The number of shuffles of the history; 0 when no policy reads samples.
  int num_shuffles_ = 0;
  History history_;
};

}  // namespace tidemill::supervisor
