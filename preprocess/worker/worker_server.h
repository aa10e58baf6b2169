// A preprocessing worker as a running service.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::preprocess {

// Implements rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartWorker(
    const rpc::ServiceContext& context);

}  // namespace tidemill::preprocess
