#include "supervisor/triggers/trigger_policy.h"

#include <utility>
#include <variant>

#include "base/overloaded.h"

namespace tidemill::supervisor {
namespace {

Verdict ReplayEnsemble(const EnsembleTrigger& spec, const Verdict& recorded) {
  std::vector<Verdict> members;
  for (size_t i = 0; i < recorded.members.size() && i < spec.of.size(); ++i) {
    const Verdict& member = recorded.members[i];
    Verdict again = member.evaluated ? Replay(spec.of[i], member) : member;
    again.evaluated = member.evaluated;
    again.voted_at = member.voted_at;
    members.push_back(std::move(again));
  }
  return Judge(spec, recorded.observed, std::move(members));
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakeTriggerPolicy(const TriggerSpec& spec) {
  return std::visit([](const auto& policy) { return MakePolicy(policy); }, spec);
}

Verdict Replay(const TriggerSpec& spec, const Verdict& recorded) {
  return std::visit(
      Overloaded{[&](const EnsembleTrigger& policy) { return ReplayEnsemble(policy, recorded); },
                 [&](const auto& policy) { return Judge(policy, recorded.observed); }},
      spec);
}

std::string Explain(const TriggerSpec& spec, const Verdict& verdict) {
  return std::visit([&](const auto& policy) { return Explain(policy, verdict); }, spec);
}

}  // namespace tidemill::supervisor
