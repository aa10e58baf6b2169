// The `trigger` section of a pipeline: when to retrain. A Trigger is a trigger policy as its spec
// defines it: everything that the platform must know about a policy.
//
//   trigger: {type: amount, samples: 2000}
//   trigger: {type: time, every: 7d}
//   trigger: {type: time, calendar: month}
//   trigger: {type: pause, length: 2h, samples: 500}
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
// To add a policy, write a header `<name>_trigger.h` with its spec, a source with MakePolicy(),
// Judge(), Explain() and NeedsOf() for that spec, and add its line to trigger.cc. Where a default
// of Trigger does not fit, specialise TriggerOf for the spec and override it there: CheckSamples()
// if samples may lack the policy's inputs, Advise() if a valid spec can still be useless.
// trigger_harness_test.cc tests that every policy keeps the promises of trigger_policy.h.
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
#include "config/named_files.h"
#include "config/remark.h"
#include "supervisor/triggers/trigger_policy.h"
#include "supervisor/triggers/verdict_types.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

class Trigger;
using TriggerSpec = config::Choice<Trigger>;
template <typename Spec>
class TriggerOf;

// The texts of the reference about a policy, besides its keys.
struct TriggerText {
  std::string_view rule;    // When the policy fires, as a formula.
  std::string_view points;  // Where the policy decides.
  std::string_view cost;    // The cost in time and state.
  std::string_view source;  // The source of the algorithm; may be empty.
};

// A trigger policy and its settings. Thread-safe.
class Trigger : public config::PartWithFiles<Trigger> {
 public:
  // Lists every policy.
  static std::span<const config::Alternative<Trigger>> Alternatives();

  // Creates the policy at the beginning of the stream.
  virtual std::unique_ptr<TriggerPolicy> MakePolicy() const = 0;

  // Applies only the rule to the observations of a recorded verdict. The result equals the recorded
  // verdict as long as neither the settings nor the rule have changed.
  virtual Verdict Replay(const Verdict& recorded) const = 0;

  // Explains a verdict in one sentence for people. The members of an ensemble are not named.
  virtual std::string Explain(const Verdict& verdict) const = 0;

  // The needs of its members are not included.
  virtual TriggerNeeds Needs() const = 0;

  // The policies that an ensemble asks; empty for other policies.
  virtual std::span<const TriggerSpec> members() const { return {}; }

  // Notes a problem for each property that the policy needs and the samples lack. Paths begin at
  // the policy's own section.
  virtual void CheckSamples(const transform::DescribedSamples& /*samples*/,
                            config::Problems& /*problems*/) const {}

  // Notes settings that are allowed but useless: an error when the policy can never fire, a warning
  // when it cannot fire on this data.
  virtual std::vector<config::Remark> Advise(const StreamFacts& /*stream*/) const { return {}; }

  virtual TriggerText Text() const = 0;
};

namespace internal {

// The functions of a spec that members of the same name would hide.
template <typename Spec>
std::unique_ptr<TriggerPolicy> PolicyOf(const Spec& spec) {
  return MakePolicy(spec);
}
template <typename Spec>
std::string ExplanationOf(const Spec& spec, const Verdict& verdict) {
  return Explain(spec, verdict);
}

}  // namespace internal

// The members that every spec has.
template <typename Spec>
class TriggerBase : public config::PartOf<TriggerOf<Spec>, Trigger, Spec> {
 public:
  std::unique_ptr<TriggerPolicy> MakePolicy() const override {
    return internal::PolicyOf(this->spec_);
  }
  std::string Explain(const Verdict& verdict) const override {
    return internal::ExplanationOf(this->spec_, verdict);
  }
  TriggerNeeds Needs() const override { return NeedsOf(this->spec_); }
  TriggerText Text() const override {
    return {
        .rule = Spec::kRule, .points = Spec::kPoints, .cost = Spec::kCost, .source = Spec::kSource};
  }
};

// A policy whose verdict is a function of its observations. Its source includes rule_trigger.h.
template <typename Spec>
class RuleTrigger : public TriggerBase<Spec> {
 public:
  Verdict Replay(const Verdict& recorded) const override;
};

// The policy of a spec, with the defaults of Trigger.
template <typename Spec>
class TriggerOf final : public RuleTrigger<Spec> {};

// Whether the policy or one of its members has the need `wanted`.
bool Needs(const TriggerSpec& spec, bool TriggerNeeds::*wanted);

// Returns the path of the first policy in the tree that needs the answers of a model, such as
// "trigger", or "trigger.of[1]" in an ensemble. Returns an empty string when there is none.
std::string WhatAsksModels(const TriggerSpec& spec, const std::string& path);

}  // namespace tidemill::supervisor

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
