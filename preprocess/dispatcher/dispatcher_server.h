// The dispatcher as a running service. It owns the database, the core and the gRPC face,
// constructed in this order.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::preprocess {

// Implements rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartDispatcher(
    const rpc::ServiceContext& context);

}  // namespace tidemill::preprocess
