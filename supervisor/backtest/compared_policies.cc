#include "supervisor/backtest/compared_policies.h"

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "config/config.h"
#include "config/values/clock.h"

namespace tidemill::supervisor {
namespace {

// The name of the pipeline's own policy among others: no file has such a name.
constexpr char kOwn[] = "(the pipeline's)";

}  // namespace

absl::StatusOr<std::vector<NamedPolicy>> ComparedPolicies(const v1::WatchBacktestRequest& request,
                                                          const PipelineSpec& pipeline,
                                                          const std::string& zone) {
  std::vector<NamedPolicy> policies;
  for (const auto& policy : request.policies()) {
    if (!policy.name().empty()) RETURN_IF_ERROR(CheckLabel("policy's name", policy.name()));
    // It may hold the file of a plug-in.
    ASSIGN_OR_RETURN(TriggerSpec spec, config::ReadKept<TriggerSpec>(policy.text(), policy.name()));
    config::Problems problems;
    config::PutOnClock(spec, zone, problems);
    if (!problems.empty()) return Annotate(problems.ToStatus(), policy.name());
    policies.push_back({.name = policy.name(), .spec = std::move(spec)});
  }
  // The policy with which the others are compared, unless it is among them.
  const std::string own = config::Print(pipeline.trigger);
  const auto found = std::find_if(policies.begin(), policies.end(), [&](const NamedPolicy& policy) {
    return config::Print(policy.spec) == own;
  });
  if (found != policies.end()) {
    found->own = true;
  } else {
    const bool alone = policies.empty();
    policies.push_back({.name = alone ? pipeline.name : kOwn,
                        .spec = pipeline.trigger,
                        .own = true,
                        .asked = alone});
  }
  return policies;
}

}  // namespace tidemill::supervisor
