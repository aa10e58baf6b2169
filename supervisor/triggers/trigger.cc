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
#include "supervisor/triggers/rule_trigger.h"
#include "supervisor/triggers/time_trigger.h"

namespace tidemill::supervisor {

namespace {

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

}  // namespace tidemill::supervisor

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
