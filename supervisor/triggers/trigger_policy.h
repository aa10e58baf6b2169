// Decides when to retrain. A policy is a pure function of the stream of (event time, key) and of
// the cost of trainings.
//
// A policy declares its decision points by the contents of the stream, never by how the stream is
// cut into batches. It decides nowhere else. A Decider drives it:
//
//   NextPoint(ahead) -> Take(what lies before the point) -> Needs() -> Decide() -> Fired(), if so
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
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// The cost of one training.
struct TrainingCost {
  int64_t num_samples = 0;
  double seconds = 0;
};

// What a policy looks at, besides the times and keys of samples. Every policy declares it.
struct TriggerNeeds {
  // It looks at the answers of the active model. A history without trainings has none.
  bool model_answers = false;
  // It looks at more of the samples than their times and keys, from whatever source.
  bool samples = false;
  // It looks at the duration of trainings, forecast from earlier ones.
  bool training_costs = false;
};

// What is known of the samples before any of them is shown.
struct StreamFacts {
  // The time from one sample to the next.
  std::optional<Duration> step = std::nullopt;
  // How many there are, and will be.
  std::optional<int64_t> num_samples = std::nullopt;
  // The event times of some of the first, in any order.
  std::vector<Timestamp> times = {};
};

// One policy of one run. Its state holds what it remembers of the samples before its last decision
// point and of those since. A policy that is restored from a sealed state continues exactly as the
// original. Thread-compatible.
class TriggerPolicy {
 public:
  virtual ~TriggerPolicy() = default;

  // Returns the next decision point if `ahead` follows, and after that no sample before `clock`.
  // Returns std::nullopt when the point lies further ahead. Cuts ascend.
  virtual std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const = 0;

  // Takes samples. None of them lies behind the next decision point.
  virtual void Take(Samples samples) = 0;

  // Returns the evidence that the policy needs to decide at its next point, `at`.
  virtual std::vector<EvidenceRequest> Needs(const Cut& /*at*/) const { return {}; }

  // Decides at its next point and moves past it. Every sample before that point has been taken.
  virtual Verdict Decide(const Evidence& evidence) = 0;

  // Tells the policy that the run trains on everything before `at`, whoever asked for it.
  virtual void Fired(const Cut& /*at*/) {}

  // Tells the policy the cost of a training that a fired decision started.
  virtual void Learn(const TrainingCost& /*cost*/) {}

  // Tells the policy that there is no model, because no training that it started has succeeded. It
  // then decides as before the first training.
  virtual void NoModel() {}

  // Returns how far the policy is from its next decision, as a sentence for people. Returns an
  // empty string when there is nothing to say.
  virtual std::string Standing() const { return ""; }

  virtual nlohmann::json Seal() const = 0;
  // DATA_LOSS when `state` is not a state of this policy.
  virtual absl::Status Restore(const nlohmann::json& state) = 0;
};

}  // namespace tidemill::supervisor
