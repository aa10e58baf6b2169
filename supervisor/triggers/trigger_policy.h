// When to retrain: pure functions of the stream of (event time, key), and of what trainings cost.
//
// A policy declares its decision points by what the stream holds, never by how the stream was cut
// into batches, and decides nowhere else. A Decider drives it:
//
//   NextPoint(ahead) -> Take(what lies before the point) -> Needs() -> Decide() -> Fired(), if so
//
// To add a policy: its spec and one line of TriggerSpec in trigger_spec.h, one file with its
// MakePolicy(), Judge() and Explain(), declared below, and its line in trigger_harness_test.cc,
// which holds every policy to what this file promises.
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
#include "supervisor/triggers/trigger_spec.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// What a training took.
struct TrainingCost {
  int64_t num_samples = 0;
  double seconds = 0;
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

// The policy of `spec` at the beginning of the stream.
std::unique_ptr<TriggerPolicy> MakeTriggerPolicy(const TriggerSpec& spec);

// The rule by itself: the answer to what a recorded verdict observed. It equals the verdict as long
// as neither the settings nor the rule have changed.
Verdict Replay(const TriggerSpec& spec, const Verdict& recorded);

// Why, for people: a sentence without the names of members.
std::string Explain(const TriggerSpec& spec, const Verdict& verdict);

// The alternatives of TriggerSpec.
std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const NeverTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const ManualTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const CostTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const DriftTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const PerformanceTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const DetectorTrigger& spec);
std::unique_ptr<TriggerPolicy> MakePolicy(const EnsembleTrigger& spec);

Verdict Judge(const AmountTrigger& spec, const Observed& observed);
Verdict Judge(const TimeTrigger& spec, const Observed& observed);
Verdict Judge(const NeverTrigger& spec, const Observed& observed);
Verdict Judge(const ManualTrigger& spec, const Observed& observed);
Verdict Judge(const CostTrigger& spec, const Observed& observed);
Verdict Judge(const DriftTrigger& spec, const Observed& observed);
Verdict Judge(const PerformanceTrigger& spec, const Observed& observed);
Verdict Judge(const DetectorTrigger& spec, const Observed& observed);
// Of the members' verdicts, which it takes over, and of the "samples" that have come while the
// first training is still waited for.
Verdict Judge(const EnsembleTrigger& spec, const Observed& observed, std::vector<Verdict> members);

std::string Explain(const AmountTrigger& spec, const Verdict& verdict);
std::string Explain(const TimeTrigger& spec, const Verdict& verdict);
std::string Explain(const NeverTrigger& spec, const Verdict& verdict);
std::string Explain(const ManualTrigger& spec, const Verdict& verdict);
std::string Explain(const CostTrigger& spec, const Verdict& verdict);
std::string Explain(const DriftTrigger& spec, const Verdict& verdict);
std::string Explain(const PerformanceTrigger& spec, const Verdict& verdict);
std::string Explain(const DetectorTrigger& spec, const Verdict& verdict);
std::string Explain(const EnsembleTrigger& spec, const Verdict& verdict);

}  // namespace tidemill::supervisor
