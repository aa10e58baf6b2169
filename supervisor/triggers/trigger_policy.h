// When to retrain: pure functions of the stream of (event time, key), and of what trainings cost.
//
// A policy declares its decision points by what the stream holds, never by how the stream was cut
// into batches, and decides nowhere else. A Decider drives it:
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

// What a training took.
struct TrainingCost {
  int64_t num_samples = 0;
  double seconds = 0;
};

// What a policy looks at beside the times and keys of samples. Each policy has to say it.
struct TriggerNeeds {
  // What the active model answers, of which a history without trainings has none.
  bool model_answers = false;
  // More of samples than times and keys, however it is come by.
  bool samples = false;
  // What trainings take, forecast from earlier ones.
  bool training_costs = false;
};

// Its state is what it keeps of the samples before its last decision point and since. Sealed and
// restored it goes on exactly as it would have. Thread-compatible.
class TriggerPolicy {
 public:
  virtual ~TriggerPolicy() = default;

  // The next point at which it decides when `ahead` follows and after it nothing before `clock`;
  // std::nullopt when that point lies further ahead. Cuts ascend.
  virtual std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const = 0;

  // Takes samples, none of them behind its next point.
  virtual void Take(Samples samples) = 0;

  // What it has to see to decide at its next point, which lies at `at`.
  virtual std::vector<EvidenceRequest> Needs(const Cut& /*at*/) const { return {}; }

  // Decides at its next point, before which it was given every sample, and moves on behind it.
  virtual Verdict Decide(const Evidence& evidence) = 0;

  // Learns that the run trains on everything before `at`, whoever wanted it.
  virtual void Fired(const Cut& /*at*/) {}

  // Learns what the training took that a fired decision brought about.
  virtual void Learn(const TrainingCost& /*cost*/) {}

  // Learns that there is no model: no training that it brought about has succeeded. It decides as
  // before the first one.
  virtual void NoModel() {}

  // How far it is from its next decision, a sentence for people; empty where there is nothing to
  // say.
  virtual std::string Standing() const { return ""; }

  virtual nlohmann::json Seal() const = 0;
  // DATA_LOSS for what is no state of this policy.
  virtual absl::Status Restore(const nlohmann::json& state) = 0;
};

}  // namespace tidemill::supervisor
