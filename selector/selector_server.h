// The selector as a running service: database, core and face in their order of life.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::selector {

// A rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartSelector(
    const rpc::ServiceContext& context);

}  // namespace tidemill::selector
