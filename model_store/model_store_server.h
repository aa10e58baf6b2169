// The model store as a running service: database, core and face in their order of life.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::model_store {

// A rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartModelStore(
    const rpc::ServiceContext& context);

}  // namespace tidemill::model_store
