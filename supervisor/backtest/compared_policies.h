// Chooses the policies that a backtest compares.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/triggers/trigger.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

struct NamedPolicy {
  std::string name;
  TriggerSpec spec;
  // Whether it is the pipeline's own policy.
  bool own = false;
  // Whether the user asked for it. The pipeline's own policy is compared with others even if the
  // user did not.
  bool asked = true;
};

// Returns the policies of the request in its order, and the pipeline's own, unless it is among
// them. Beside others, it is named "(the pipeline's)". Alone, it has the name of the pipeline.
// Times that policies of the request give without a zone are on the clock of `zone`.
// INVALID_ARGUMENT when a policy cannot be read, or when a name is not a valid label.
absl::StatusOr<std::vector<NamedPolicy>> ComparedPolicies(const v1::WatchBacktestRequest& request,
                                                          const PipelineSpec& pipeline,
                                                          const std::string& zone);

}  // namespace tidemill::supervisor
