// The model store as a running service. It owns the database, the core and the gRPC service, which
// are destroyed in the reverse order.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/service_main.h"

namespace tidemill::model_store {

// Implements rpc::ServiceFactory.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartModelStore(
    const rpc::ServiceContext& context);

}  // namespace tidemill::model_store
