#include "supervisor/triggers/trigger_policy.h"

#include <variant>

namespace tidemill::supervisor {

std::unique_ptr<TriggerPolicy> MakeTriggerPolicy(const TriggerSpec& spec,
                                                 const std::optional<Decision>& last) {
  return std::visit([&](const auto& policy) { return MakePolicy(policy, last); }, spec);
}

}  // namespace tidemill::supervisor
