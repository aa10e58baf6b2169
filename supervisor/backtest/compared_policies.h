// Which policies a backtest compares.
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
  // The pipeline's.
  bool own = false;
  // Whether somebody asked for it. The pipeline's own stands beside others without being asked for.
  bool asked = true;
};

// Those of the request in its order, and the pipeline's own, unless it is among them. Beside others
// it is called "(the pipeline's)", and alone as the pipeline is. INVALID_ARGUMENT for a policy that
// cannot be read, and for a name that is no label.
absl::StatusOr<std::vector<NamedPolicy>> ComparedPolicies(const v1::WatchBacktestRequest& request,
                                                          const PipelineSpec& pipeline);

}  // namespace tidemill::supervisor
