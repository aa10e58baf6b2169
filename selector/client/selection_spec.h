// The `selection` section of a pipeline: on which samples a trigger trains. A selection policy as
// its spec says it, and all that the platform asks of one.
//
//   selection: new_data
//   selection: {type: uniform, fraction: 0.25, over: all}
//   selection: {type: balanced, samples: 10_000, over: all, weights: inverse_probability}
//   selection: {type: schedule, steps: [{triggers: 3, use: all_data}, {use: {type: k_center,
//   fraction: 0.1}}]}
//
// The policies stand in selector/policies/, each in a header and a source of its name;
// policy_list.h there lists them, and policy.h says what one is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/choice.h"
#include "config/config.h"
#include "selector/client/candidate_pool.h"
#include "transform/engine/schema_check.h"

namespace tidemill::selector {

class Selection;
using SelectionSpec = config::Choice<Selection>;

// What a policy looks at beside keys, event times and labels.
enum class LooksAt { kNothing, kColumn, kModel };

// What of the run's earlier training sets a policy asks: which samples any of them holds, or those
// of the present round, in which each sample is chosen once.
enum class Recalls { kNothing, kSets, kRound };

// What the reference says of a policy beside its keys.
struct SelectionText {
  std::string_view rule;     // What it chooses.
  std::string_view weights;  // Of the chosen samples.
  std::string_view cost;     // Of time and memory.
  std::string_view source;   // Where it comes from; may be empty.
};

// A selection policy and its settings. Thread-compatible.
class Selection : public config::Part<Selection> {
 public:
  // Every policy there is.
  static std::span<const config::Alternative<Selection>> Alternatives();

  // The policy that serves a trigger, from 1: what a schedule says, and all candidates while a
  // policy warms up, as a policy of the same pool. A step of a schedule warms up in its own first
  // triggers. What is returned is no schedule and past its warm-up: it is not asked for a trigger
  // again.
  virtual SelectionSpec PolicyAt(int64_t trigger) const = 0;

  // A schedule knows the next two only of its steps: ask PolicyAt() first.

  // Its candidates: `tail` when there is one, else `over`.
  virtual CandidatePool TakesFrom() const = 0;
  // How many of `available` candidates are chosen, as far as its settings say.
  virtual int64_t Target(int64_t available) const = 0;
  // Of a schedule, the most that one of its steps says.
  virtual LooksAt WhatItLooksAt() const = 0;
  virtual Recalls WhatItRecalls() const = 0;

  // Notes what it asks of samples that they cannot answer; paths begin at its own section.
  virtual void CheckSamples(const transform::DescribedSamples& samples,
                            config::Problems& problems) const = 0;

  virtual SelectionText Text() const = 0;
};

}  // namespace tidemill::selector

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::selector::SelectionSpec);
