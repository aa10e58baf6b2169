// Decides when to retrain. A policy is a pure function of the stream of (event time, key) and of
// the cost of trainings.
//
// A policy declares its decision points by the contents of the stream, never by how the stream is
// cut into batches. It decides nowhere else. A Decider drives it:
//
//   NextPoint(ahead) -> Take(the samples before the point) -> Needs() -> Decide() -> Fired(), if so
//
// To add a policy see trigger.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/samples.h"
#include "supervisor/triggers/verdict_types.h"

namespace tidemill::plugin {
class RunHosts;
}  // namespace tidemill::plugin

namespace tidemill::supervisor {

// The cost of one training.
struct TrainingCost {
  int64_t num_samples = 0;
  double seconds = 0;
  // The processor time of all stages of its trigger, on any machine.
  double processor_seconds = 0;
  // Their cost at the prices of the run; std::nullopt without prices.
  std::optional<double> money = std::nullopt;
};

// The inputs of a policy, besides the times and keys of samples. Every policy declares them.
struct TriggerNeeds {
  // It needs the answers of the active model. A history without trainings has no model.
  bool model_answers = false;
  // It reads more of the samples than their times and keys, from any source.
  bool samples = false;
  // It needs the duration of trainings, forecast from earlier ones.
  bool training_costs = false;
  // It needs what trainings have used, which no forecast of durations says; and prices for it.
  bool usage = false;
  bool prices = false;
};

// The facts known about the samples before any of them is shown.
struct StreamFacts {
  // The time from one sample to the next.
  std::optional<Duration> step = std::nullopt;
  // The number of samples, including future ones.
  std::optional<int64_t> num_samples = std::nullopt;
  // The event times of some of the first, in any order.
  std::vector<Timestamp> times = {};
};

// One policy of one run. Its state covers the samples before its last decision point and the
// samples since. A policy that is restored from a sealed state continues exactly as the original.
// Thread-compatible.
class TriggerPolicy {
 public:
  virtual ~TriggerPolicy() = default;

  // Returns the next decision point if `ahead` follows, and after that no sample before `clock`.
  // Returns std::nullopt when the point is further ahead. Cuts ascend.
  virtual std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const = 0;

  // Takes samples. None of them is after the next decision point.
  virtual void Take(Samples samples) = 0;

  // Returns the evidence that the policy needs to decide at its next point, `at`.
  virtual std::vector<EvidenceRequest> Needs(const Cut& /*at*/) const { return {}; }

  // Decides at its next point and moves past it. Every sample before that point has been taken. An
  // error means that there is no decision, and the policy must not be used any more.
  virtual absl::StatusOr<Verdict> Decide(const Evidence& evidence) = 0;

  // Tells the policy that the run trains on all samples before `at`, whether or not the policy
  // asked for it.
  virtual void Fired(const Cut& /*at*/) {}

  // Tells the policy the cost of a training that a fired decision started.
  virtual void Learn(const TrainingCost& /*cost*/) {}

  // Tells the policy that there is no model, because no training that it started has succeeded. It
  // then decides as before the first training.
  virtual void NoModel() {}

  // Gives the policy the processes of the run's plug-ins. Call it before the first decision.
  virtual void BelongTo(const std::shared_ptr<plugin::RunHosts>& /*run*/) {}

  // Returns how far the policy is from its next decision, as a sentence for people. Returns an
  // empty string when there is nothing to say.
  virtual std::string Standing() const { return ""; }

  virtual nlohmann::json Seal() const = 0;
  // DATA_LOSS when `state` is not a state of this policy.
  virtual absl::Status Restore(const nlohmann::json& state) = 0;
};

}  // namespace tidemill::supervisor
