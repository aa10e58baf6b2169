#include "supervisor/triggers/trigger.h"

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::supervisor {

// In the order of the reference. A new policy is its line here.
// clang-format off
#define TIDEMILL_TRIGGERS(part) \
  part(AmountTrigger) \
  part(TimeTrigger) \
  part(NeverTrigger) \
  part(ManualTrigger) \
  part(PauseTrigger) \
  part(CostTrigger) \
  part(DriftTrigger) \
  part(PerformanceTrigger) \
  part(DetectorTrigger) \
  part(CaraTrigger) \
  part(BudgetedTrigger) \
  part(DebtTrigger) \
  part(ForecastTrigger) \
  part(EnsembleTrigger) \
  part(PluginTrigger)
// clang-format on
TIDEMILL_PART_LIST(Trigger, TIDEMILL_TRIGGERS)

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
