// Opens the stores of a host, with the object store that hosts share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "prepared/host_store.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/prepared_objects/row_objects.h"

namespace tidemill::storage {

// A service that starts processes for jobs gives them the connection in this variable, as
// config::Print() writes it. Files of jobs hold no secrets.
inline constexpr char kConnectionVariable[] = "TIDEMILL_PREPARED_OBJECT_STORE";

// Returns `storage.object_store` of a system configuration: how stores are reached.
absl::StatusOr<ObjectStoreConfig> ConnectionOf(std::string_view config_text,
                                               std::string_view config_name);
// Returns the one in kConnectionVariable; the defaults when there is none. The first call removes
// the variable, so that processes of users' code do not get it; it must come before there are
// threads.
absl::StatusOr<ObjectStoreConfig> ConnectionOfEnvironment();

// Returns the store's objects; nullptr when the options name none. Nothing is connected yet.
// INVALID_ARGUMENT when the URL, the connection or the environment is wrong.
absl::StatusOr<std::unique_ptr<RowObjects>> OpenRowObjects(
    const prepared::HostStoreOptions& options, const ObjectStoreConfig& connection);

// Opens all stores. `takes_all` is SharedStore::takes_all(). Returns the errors of
// OpenRowObjects().
absl::StatusOr<std::unique_ptr<prepared::HostStore>> OpenHostStore(
    const prepared::HostStoreOptions& options, const ObjectStoreConfig& connection,
    bool takes_all = false);

}  // namespace tidemill::storage
