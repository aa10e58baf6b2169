// An evaluator as a member of the supervisor's pool.
#pragma once

#include <memory>
#include <string>

#include "devices/devices.h"
#include "evaluator/evaluator.h"
#include "evaluator/evaluator_config.h"
#include "rpc/service_main.h"
#include "supervisor_client/membership.h"

namespace tidemill::evaluator {

// Registers the evaluator, which others reach at `endpoint` unless the configuration says
// otherwise, and ends its jobs that have lost their slots. `folder` remembers who it is. Returns
// nullptr when the configuration names no supervisor. `evaluator` must outlive the membership.
absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(
    const rpc::ServiceContext& context, const EvaluatorConfig& config, const std::string& folder,
    const devices::Devices& devices, const std::string& endpoint, Evaluator& evaluator);

}  // namespace tidemill::evaluator
