// Checks whether a user's trigger policy keeps the promises of trigger_policy.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "plugin/spec/promise.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor::trials {

using plugin::Promise;

// The result of a trial.
struct TriggerTrial {
  int64_t num_samples = 0;
  int64_t num_decisions = 0;
  int64_t num_fired = 0;
  // The median over the decisions, including the evidence.
  double milliseconds_per_decision = 0;
  std::vector<Promise> promises = {};

  bool KeepsAll() const;
};

// Drives the policy several times through `num_samples` samples in which labels, columns and
// mistakes of models drift; see drifting_evidence.h. Times advance by 10 `step` a sample on
// average. Fails if the policy cannot decide at all.
absl::StatusOr<TriggerTrial> TryTrigger(const TriggerSpec& spec, int64_t num_samples,
                                        Duration step);

}  // namespace tidemill::supervisor::trials
