// The evaluator as a running service. It owns the database, the zygote, the core and the gRPC face,
// constructed in this order.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::evaluator {

// Implements rpc::ServiceFactory. Starts tidemill-evaluate, which must be beside this program.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartEvaluator(
    const rpc::ServiceContext& context);

}  // namespace tidemill::evaluator
