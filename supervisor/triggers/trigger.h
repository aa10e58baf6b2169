// The `trigger` section of a pipeline: when to retrain. A Trigger is a trigger policy as its spec
// defines it, with all that the platform asks of a policy.
//
//   trigger: {type: amount, samples: 2000}
//   trigger: {type: time, every: 7d}
//   trigger: {type: time, calendar: month}
//   trigger: {type: cost, evaluate: {every: 1h}, accepted_delay: 100}
//   trigger: {type: drift, evaluate: {samples: 250}, of: embeddings, statistic: mmd,
//     criterion: {type: quantile, history: 30}}
//   trigger: {type: performance, evaluate: {every: 1d}, criterion: {type: threshold, at: 0.8}}
//   trigger: {type: detector, evaluate: {samples: 100}, detector: adwin}
//   trigger: {type: cara, evaluate: {every: 7d}, price: 0.5}
//   trigger: {type: budgeted, evaluate: {every: 7d}, budget: 0.1}
//   trigger: {type: debt, evaluate: {every: 7d}, price: 0.5}
//   trigger: {type: forecast, evaluate: {every: 7d}, price: 0.5}
//   trigger: {type: ensemble, of: [{type: amount, samples: 5000}, {type: time, every: 7d}], vote:
//   any}
//   trigger: {type: plugin, use: surprise.py:Surprise, with: {threshold: 0.2}}
//
// To add a policy, write a header `<name>_trigger.h` with its spec and with MakePolicy(), Judge(),
// Explain() and NeedsOf() for that spec, and add its lines to trigger.cc. Add CheckSamples() if
// samples may lack what the policy looks at. Add Advise() if a valid spec can still be useless. A
// long policy has a source, too. trigger_harness_test.cc tests that every policy keeps the promises
// of trigger_policy.h.
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

// What the reference says about a policy, besides its keys.
struct TriggerText {
  std::string_view rule;    // When the policy fires, as a formula.
  std::string_view points;  // Where the policy decides.
  std::string_view cost;    // The cost in time and state.
  std::string_view source;  // The source of the algorithm; may be empty.
};

// A trigger policy and its settings. Thread-safe.
class Trigger : public config::Part<Trigger> {
 public:
  // Lists every policy.
  static std::span<const config::Alternative<Trigger>> Alternatives();

  // Creates the policy at the beginning of the stream.
  virtual std::unique_ptr<TriggerPolicy> MakePolicy() const = 0;

  // Applies the rule alone to what a recorded verdict observed. The result equals the recorded
  // verdict as long as neither the settings nor the rule have changed.
  virtual Verdict Replay(const Verdict& recorded) const = 0;

  // Explains a verdict in one sentence for people. The members of an ensemble are not named.
  virtual std::string Explain(const Verdict& verdict) const = 0;

  // The needs of its members are not included.
  virtual TriggerNeeds Needs() const = 0;

  // The policies that an ensemble asks; empty for other policies.
  virtual std::span<const TriggerSpec> members() const = 0;

  // Notes a problem for everything that the policy asks of samples and that they do not have. Paths
  // begin at the policy's own section.
  virtual void CheckSamples(const transform::DescribedSamples& samples,
                            config::Problems& problems) const = 0;

  // Notes settings that are allowed and still useless: an error where the policy can never fire, a
  // warning where it cannot on this data.
  virtual std::vector<config::Remark> Advise(const StreamFacts& stream) const = 0;

  // Takes in what is in the files that the policy names; see op_spec.h. Notes problems at its own
  // keys.
  virtual void TakeFiles(config::NamedFiles& files, config::Problems& problems) = 0;

  // What it runs with that is not of this program: a plug-in, its versions and its sandbox. Empty
  // for built-in policies, and without that of its members.
  virtual std::string RunsWith() const = 0;

  virtual TriggerText Text() const = 0;
};

// Whether the policy or one of its members has the need `wanted`.
bool Needs(const TriggerSpec& spec, bool TriggerNeeds::*wanted);

// Returns the path of the first policy in the tree that looks at the answers of a model, such as
// "trigger", or "trigger.of[1]" in an ensemble. Returns an empty string when there is none.
std::string WhatAsksModels(const TriggerSpec& spec, const std::string& path);

// What the policy and its members run with, in their order.
std::vector<std::string> AllRunsWith(const TriggerSpec& spec);

}  // namespace tidemill::supervisor

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
