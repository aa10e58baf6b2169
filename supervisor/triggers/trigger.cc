#include "supervisor/triggers/trigger.h"

#include <algorithm>

#include "fmt/format.h"

#include "supervisor/triggers/amount_trigger.h"
#include "supervisor/triggers/budgeted_trigger.h"
#include "supervisor/triggers/cara_trigger.h"
#include "supervisor/triggers/cost_trigger.h"
#include "supervisor/triggers/debt_trigger.h"
#include "supervisor/triggers/detector_trigger.h"
#include "supervisor/triggers/drift_trigger.h"
#include "supervisor/triggers/ensemble_trigger.h"
#include "supervisor/triggers/forecast_trigger.h"
#include "supervisor/triggers/manual_trigger.h"
#include "supervisor/triggers/never_trigger.h"
#include "supervisor/triggers/performance_trigger.h"
#include "supervisor/triggers/plugin_trigger.h"
#include "supervisor/triggers/time_trigger.h"

namespace tidemill::supervisor {
namespace {

// A policy by the functions of its spec.
template <typename Spec>
class TriggerOf final : public config::PartOf<TriggerOf<Spec>, Trigger, Spec> {
 public:
  std::unique_ptr<TriggerPolicy> MakePolicy() const override {
    return supervisor::MakePolicy(spec_);
  }
  Verdict Replay(const Verdict& recorded) const override {
    if constexpr (requires { supervisor::Replay(spec_, recorded); }) {
      return supervisor::Replay(spec_, recorded);
    } else {
      return Judge(spec_, recorded.observed);
    }
  }
  std::string Explain(const Verdict& verdict) const override {
    return supervisor::Explain(spec_, verdict);
  }
  TriggerNeeds Needs() const override { return NeedsOf(spec_); }
  std::span<const TriggerSpec> members() const override {
    if constexpr (requires { MembersOf(spec_); }) {
      return MembersOf(spec_);
    } else {
      return {};
    }
  }
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override {
    if constexpr (requires { supervisor::CheckSamples(spec_, samples, problems); }) {
      supervisor::CheckSamples(spec_, samples, problems);
    }
  }
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override {
    if constexpr (requires { supervisor::Advise(spec_, stream); }) {
      return supervisor::Advise(spec_, stream);
    } else {
      return {};
    }
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    if constexpr (requires { supervisor::TakeFiles(spec_, files, problems); }) {
      supervisor::TakeFiles(spec_, files, problems);
    }
  }
  std::string RunsWith() const override {
    if constexpr (requires { supervisor::RunsWith(spec_); }) {
      return supervisor::RunsWith(spec_);
    } else {
      return "";
    }
  }
  TriggerText Text() const override {
    TriggerText text = {
        .rule = Spec::kRule, .points = Spec::kPoints, .cost = Spec::kCost, .source = {}};
    if constexpr (requires { Spec::kSource; }) text.source = Spec::kSource;
    return text;
  }

 private:
  using config::PartOf<TriggerOf<Spec>, Trigger, Spec>::spec_;
};

// A new policy is its line here and its header above.
constexpr config::Alternative<Trigger> kTriggers[] = {
    TriggerOf<AmountTrigger>::Listed(),      TriggerOf<TimeTrigger>::Listed(),
    TriggerOf<NeverTrigger>::Listed(),       TriggerOf<ManualTrigger>::Listed(),
    TriggerOf<CostTrigger>::Listed(),        TriggerOf<DriftTrigger>::Listed(),
    TriggerOf<PerformanceTrigger>::Listed(), TriggerOf<DetectorTrigger>::Listed(),
    TriggerOf<CaraTrigger>::Listed(),        TriggerOf<BudgetedTrigger>::Listed(),
    TriggerOf<DebtTrigger>::Listed(),        TriggerOf<ForecastTrigger>::Listed(),
    TriggerOf<EnsembleTrigger>::Listed(),    TriggerOf<PluginTrigger>::Listed(),
};

}  // namespace

std::span<const config::Alternative<Trigger>> Trigger::Alternatives() { return kTriggers; }

bool Needs(const TriggerSpec& spec, bool TriggerNeeds::*wanted) {
  if (spec->Needs().*wanted) return true;
  return std::ranges::any_of(spec->members(),
                             [&](const TriggerSpec& member) { return Needs(member, wanted); });
}

std::string WhatAsksModels(const TriggerSpec& spec, const std::string& path) {
  if (spec->Needs().model_answers) return path;
  const auto members = spec->members();
  for (size_t i = 0; i < members.size(); ++i) {
    std::string found = WhatAsksModels(members[i], fmt::format("{}.of[{}]", path, i));
    if (!found.empty()) return found;
  }
  return "";
}

std::vector<std::string> AllRunsWith(const TriggerSpec& spec) {
  std::vector<std::string> all;
  if (std::string own = spec->RunsWith(); !own.empty()) all.push_back(std::move(own));
  for (const TriggerSpec& member : spec->members()) {
    for (std::string& below : AllRunsWith(member)) all.push_back(std::move(below));
  }
  return all;
}

}  // namespace tidemill::supervisor

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
