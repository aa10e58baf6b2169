// The `trigger` section of a pipeline: when to retrain. A trigger policy as its spec says it, and
// all that the platform asks of one.
//
//   trigger: {type: amount, samples: 2000}
//   trigger: {type: time, every: 7d}
//   trigger: {type: time, calendar: month}
//   trigger: {type: cost, evaluate: {every: 1h}, accepted_delay: 100}
//   trigger: {type: drift, evaluate: {samples: 250}, of: embeddings, statistic: mmd,
//     criterion: {type: quantile, history: 30}}
//   trigger: {type: performance, evaluate: {every: 1d}, criterion: {type: threshold, at: 0.8}}
//   trigger: {type: detector, evaluate: {samples: 100}, detector: adwin}
//   trigger: {type: ensemble, of: [{type: amount, samples: 5000}, {type: time, every: 7d}], vote:
//   any}
//   trigger: {type: plugin, use: surprise.py:Surprise, with: {threshold: 0.2}}
//
// To add a policy: a header `<name>_trigger.h` with its spec and with MakePolicy(), Judge(),
// Explain() and NeedsOf() of that spec, and its line in trigger.cc. Where samples may not have what
// it looks at, CheckSamples(); where a spec can be right and still useless, Advise(). A policy that
// is long has a source, too. trigger_harness_test.cc holds every policy to what trigger_policy.h
// promises.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/choice.h"
#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/trigger_policy.h"
#include "supervisor/triggers/verdict.h"
#include "transform/engine/op_spec.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

class Trigger;
using TriggerSpec = config::Choice<Trigger>;

// What the reference says of a policy beside its keys.
struct TriggerText {
  std::string_view rule;    // When it fires, as a formula.
  std::string_view points;  // Where it decides.
  std::string_view cost;    // Of time and state.
  std::string_view source;  // Where it comes from; may be empty.
};

// A trigger policy and its settings. Thread-safe.
class Trigger : public config::Part<Trigger> {
 public:
  // Every policy there is.
  static std::span<const config::Alternative<Trigger>> Alternatives();

  // The policy at the beginning of the stream.
  virtual std::unique_ptr<TriggerPolicy> MakePolicy() const = 0;

  // The rule by itself: the answer to what a recorded verdict observed. It equals the verdict as
  // long as neither the settings nor the rule have changed.
  virtual Verdict Replay(const Verdict& recorded) const = 0;

  // Why, for people: a sentence without the names of members.
  virtual std::string Explain(const Verdict& verdict) const = 0;

  // Without those of its members.
  virtual TriggerNeeds Needs() const = 0;

  // The policies that an ensemble asks.
  virtual std::span<const TriggerSpec> members() const = 0;

  // Notes what it asks of samples that they cannot answer; paths begin at its own section.
  virtual void CheckSamples(const transform::DescribedSamples& samples,
                            config::Problems& problems) const = 0;

  // What is allowed and still of no use. `step`: from one sample to the next, where it is known.
  virtual std::vector<config::Remark> Advise(std::optional<Duration> step) const = 0;

  // Takes in what is in the files that the policy names; see op_spec.h. Notes problems at its own
  // keys.
  virtual void TakeFiles(transform::NamedFiles& files, config::Problems& problems) = 0;

  virtual TriggerText Text() const = 0;
};

// Whether the policy, or one of its members, needs what `wanted` picks.
bool Needs(const TriggerSpec& spec, bool TriggerNeeds::*wanted);

// The first policy in the tree that looks at what models answer: "trigger", or "trigger.of[1]"
// below an ensemble there; empty when there is none.
std::string WhatAsksModels(const TriggerSpec& spec, const std::string& path);

}  // namespace tidemill::supervisor

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
