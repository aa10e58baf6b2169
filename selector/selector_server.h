// The selector as a process: what main() runs.
#pragma once

#include <memory>

#include "rpc/service_main.h"

namespace tidemill::selector {

// Connects to the database and to storage, migrates the schema. Fails as db::Database::Connect and
// db::Migrate do.
absl::StatusOr<std::unique_ptr<rpc::RunningService>> MakeSelector(
    const rpc::ServiceContext& context);

}  // namespace tidemill::selector
