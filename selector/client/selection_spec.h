// The `selection` section of a pipeline: on which samples a trigger trains. A Selection is a
// selection policy as its spec defines it, with all that the platform asks of a policy.
//
//   selection: new_data
//   selection: {type: uniform, fraction: 0.25, over: all}
//   selection: {type: balanced, samples: 10_000, over: all, weights: inverse_probability}
//   selection: {type: schedule, steps: [{triggers: 3, use: all_data}, {use: {type: k_center,
//   fraction: 0.1}}]}
//   selection: {type: plugin, use: novelty.py:Novelty, with: {samples: 1000}, over: all}
//
// The policies are in selector/policies/, each in a header and a source of its name. policy_list.h
// lists them there. policy.h says what a policy consists of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/choice.h"
#include "config/config.h"
#include "config/named_files.h"
#include "selector/client/candidate_pool.h"
#include "transform/engine/schema_check.h"

namespace tidemill::selector {

class Selection;
using SelectionSpec = config::Choice<Selection>;

// What a policy looks at, besides keys, event times and labels.
enum class LooksAt { kNothing, kColumn, kModel };

// What a policy asks about the earlier training sets of the run: which samples any of them holds,
// or which samples the present round holds. In a round each sample is chosen once.
enum class Recalls { kNothing, kSets, kRound };

// What the reference says about a policy, besides its keys.
struct SelectionText {
  std::string_view rule;     // What the policy chooses.
  std::string_view weights;  // The weights of the chosen samples.
  std::string_view cost;     // The cost in time and memory.
  std::string_view source;   // The source of the algorithm; may be empty.
};

// A selection policy and its settings. Thread-compatible.
class Selection : public config::Part<Selection> {
 public:
  // Lists every policy.
  static std::span<const config::Alternative<Selection>> Alternatives();

  // Returns the policy that serves a trigger; triggers count from 1. For a schedule, it is the
  // policy of the step. While a policy warms up, it is a policy that chooses all candidates of the
  // same pool. A step of a schedule warms up in its own first triggers. The result is neither a
  // schedule nor in a warm-up, so there is no need to call PolicyAt() on it.
  virtual SelectionSpec PolicyAt(int64_t trigger) const = 0;

  // Call the next two functions on the result of PolicyAt(): a schedule has no answer of its own to
  // them.

  // Returns the pool of its candidates: `tail` if there is one, else `over`.
  virtual CandidatePool TakesFrom() const = 0;
  // Returns how many of `available` candidates the policy chooses, as far as its settings say.
  virtual int64_t Target(int64_t available) const = 0;
  // For a schedule, the next two return the most that any of its steps needs.
  virtual LooksAt WhatItLooksAt() const = 0;
  virtual Recalls WhatItRecalls() const = 0;

  // Whether the training set of a trigger is a function of the trigger's cut alone: neither of its
  // number, nor of the triggers before it, nor of models.
  virtual bool DependsOnCutAlone() const = 0;

  // Notes a problem for everything that the policy asks of samples and that they do not have. Paths
  // begin at the policy's own section.
  virtual void CheckSamples(const transform::DescribedSamples& samples,
                            config::Problems& problems) const = 0;

  // The policies of a schedule's steps; empty for other policies.
  virtual std::vector<SelectionSpec> members() const = 0;

  // Takes in what is in the files that the policy or its steps name. Notes problems at its own
  // keys.
  virtual void TakeFiles(config::NamedFiles& files, config::Problems& problems) = 0;

  // What it runs with that is not of this program: a plug-in, its versions and its sandbox. Empty
  // for built-in policies, and without that of its members.
  virtual std::string RunsWith() const = 0;

  virtual SelectionText Text() const = 0;
};

// What the policy and its members run with, in their order.
std::vector<std::string> AllRunsWith(const SelectionSpec& spec);

}  // namespace tidemill::selector

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::selector::SelectionSpec);
