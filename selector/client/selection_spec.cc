#include "selector/client/selection_spec.h"

#include <type_traits>

namespace tidemill::selector {
namespace {

template <typename Policy>
constexpr bool kIsDraw = std::is_base_of_v<Draw, Policy>;

SelectionSpec AllOf(const CandidatePool& pool) {
  if (pool.over == Pool::kAll) return AllData{};
  return NewData{.tail = pool.tail.value_or(0)};
}

bool WarmsUp(int64_t warmup_triggers, int64_t trigger) { return trigger <= warmup_triggers; }

}  // namespace

SelectionSpec PolicyOf(const SelectionSpec& spec, int64_t trigger) {
  if (const auto* schedule = std::get_if<SelectionSchedule>(&spec)) {
    for (const SelectionStep& step : schedule->steps) {
      if (!step.triggers || trigger <= *step.triggers) return PolicyOf(step.use, trigger);
      trigger -= *step.triggers;
    }
  }
  return std::visit(
      [&]<typename Policy>(const Policy& policy) -> SelectionSpec {
        if constexpr (kIsDraw<Policy>) {
          if (WarmsUp(policy.warmup_triggers, trigger)) return AllOf(policy);
        } else if constexpr (std::is_same_v<Policy, Deduplicated>) {
          if (WarmsUp(policy.warmup_triggers, trigger)) return AllOf(policy.pool);
        }
        return policy;
      },
      spec);
}

CandidatePool PoolOf(const SelectionSpec& spec) {
  return std::visit(
      []<typename Policy>(const Policy& policy) -> CandidatePool {
        if constexpr (kIsDraw<Policy>) {
          return policy;
        } else if constexpr (std::is_same_v<Policy, NewData>) {
          return {.tail = policy.tail};
        } else if constexpr (std::is_same_v<Policy, Deduplicated>) {
          return policy.pool;
        } else if constexpr (std::is_same_v<Policy, Freshness>) {
          if (policy.tail) return {.tail = policy.tail};
        }
        return {.over = Pool::kAll};
      },
      spec);
}

LooksAt WhatItLooksAt(const SelectionSpec& spec) {
  return std::visit(
      []<typename Policy>(const Policy& policy) {
        if constexpr (std::is_same_v<Policy, SelectionSchedule>) {
          LooksAt most = LooksAt::kNothing;
          for (const SelectionStep& step : policy.steps) {
            most = std::max(most, WhatItLooksAt(step.use));
          }
          return most;
        } else if constexpr (std::is_same_v<Policy, Importance>) {
          return LooksAt::kColumn;
        } else if constexpr (std::is_same_v<Policy, KCenter> ||
                             std::is_same_v<Policy, FacilityLocation> ||
                             std::is_same_v<Policy, KMedoids> || std::is_same_v<Policy, Pairwise> ||
                             std::is_same_v<Policy, Deduplicated>) {
          return LooksAt::kModel;
        } else {
          return LooksAt::kNothing;
        }
      },
      spec);
}

std::string_view NameOf(const SelectionSpec& spec) {
  return std::visit([](const auto& policy) { return std::decay_t<decltype(policy)>::kType; }, spec);
}

}  // namespace tidemill::selector

TIDEMILL_CONFIG_TYPE(tidemill::selector::SelectionSpec);
