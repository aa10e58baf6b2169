// The dispatcher as a running service: database, core and face in their order of life.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::preprocess {

// A rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartDispatcher(
    const rpc::ServiceContext& context);

}  // namespace tidemill::preprocess
