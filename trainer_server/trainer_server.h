// The trainer server as a running service. It owns the zygote, the core and the gRPC face,
// constructed in this order.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::trainer_server {

// Implements rpc::ServiceFactory. Starts tidemill-train, which must be beside this program.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartTrainerServer(
    const rpc::ServiceContext& context);

}  // namespace tidemill::trainer_server
