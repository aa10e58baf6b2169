// The `selection` section of a pipeline: on which samples a trigger trains. A Selection is a
// selection policy as its spec defines it: everything that the platform must know about a policy.
//
//   selection: new_data
//   selection: {type: uniform, fraction: 0.25, over: all}
//   selection: {type: balanced, samples: 10_000, over: all, weights: inverse_probability}
//   selection: {type: schedule, steps: [{triggers: 3, use: all_data}, {use: {type: k_center,
//   fraction: 0.1}}]}
//   selection: {type: plugin, use: novelty.py:Novelty, with: {samples: 1000}, over: all}
//
// The policies are in selector/policies/, each in a header and a source named after it.
// policy_list.h lists them. policy.h describes the parts of a policy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/choice.h"
#include "config/choosing_part.h"
#include "config/config.h"
#include "config/named_files.h"
#include "selector/client/candidate_pool.h"
#include "transform/engine/schema_check.h"

namespace tidemill::selector {

class Selection;
using SelectionSpec = config::Choice<Selection>;

// The inputs that a policy reads besides keys, event times and labels.
enum class LooksAt { kNothing, kColumn, kModel };

// The earlier training sets of the run that a policy must know: the samples in any of them, or the
// samples in the current round. In a round each sample is chosen once.
enum class Recalls { kNothing, kSets, kRound };

// A selection policy and its settings. Thread-compatible.
class Selection : public config::PartWithFiles<Selection> {
 public:
  // Lists every policy.
  static std::span<const config::Alternative<Selection>> Alternatives();

  // Returns the policy that serves a trigger; triggers count from 1. A schedule returns the policy
  // of the step. A policy that warms up returns a policy that chooses all candidates of the same
  // pool. A step of a schedule warms up in its own first triggers. The result is neither a schedule
  // nor in a warm-up, so there is no need to call PolicyAt() on it.
  virtual SelectionSpec PolicyAt(int64_t trigger) const = 0;

  // Call the next two functions on the result of PolicyAt(): a schedule itself cannot answer them.

  // Returns the pool of its candidates: `tail` if there is one, else `over`.
  virtual CandidatePool TakesFrom() const = 0;
  // Returns how many of `available` candidates the policy chooses, as far as its settings say.
  virtual int64_t Target(int64_t available) const = 0;
  // For a schedule, the next two return the most that any of its steps needs.
  virtual LooksAt WhatItLooksAt() const = 0;
  virtual Recalls WhatItRecalls() const = 0;

  // Whether the training set of a trigger depends only on the trigger's cut: not on its number, on
  // earlier triggers or on models.
  virtual bool DependsOnCutAlone() const { return false; }

  // Notes a problem for each property that the policy needs and the samples lack. Paths begin at
  // the policy's section.
  virtual void CheckSamples(const transform::DescribedSamples& /*samples*/,
                            config::Problems& /*problems*/) const {}

  // The policies of a schedule's steps; empty for other policies.
  virtual std::vector<SelectionSpec> members() const { return {}; }

  virtual config::ChoosingText Text() const = 0;
};

}  // namespace tidemill::selector

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::selector::SelectionSpec);
