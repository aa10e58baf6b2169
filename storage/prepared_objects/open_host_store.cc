#include "storage/prepared_objects/open_host_store.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "config/config.h"
#include "storage/filesystems/storage_config.h"
#include "storage/prepared_objects/object_rows.h"

namespace tidemill::storage {
namespace {

bool HasObjectStore(const prepared::HostStoreOptions& options) {
  return !options.object_store.empty() && options.object_store_bytes > 0;
}

// Returns the value of a variable, which the environment does not have then.
std::string Take(const char* variable) {
  const char* const text = std::getenv(variable);
  std::string value = text == nullptr ? "" : text;
  unsetenv(variable);
  return value;
}

}  // namespace

absl::StatusOr<ObjectStoreConfig> ConnectionOf(std::string_view config_text,
                                               std::string_view config_name) {
  ASSIGN_OR_RETURN(const auto section,
                   config::ReadSection<StorageConfig>(config_text, config_name, "storage"));
  return section.object_store;
}

absl::StatusOr<ObjectStoreConfig> ConnectionOfEnvironment() {
  static const std::string text = Take(kConnectionVariable);
  if (text.empty()) return ObjectStoreConfig();
  return config::ReadKept<ObjectStoreConfig>(text, kConnectionVariable);
}

absl::StatusOr<std::unique_ptr<RowObjects>> OpenRowObjects(
    const prepared::HostStoreOptions& options, const ObjectStoreConfig& connection) {
  if (!HasObjectStore(options)) return nullptr;
  auto objects = RowObjects::Open(options.object_store, connection);
  RETURN_IF_ERROR(Annotate(objects.status(), "prepared.object_store"));
  return objects;
}

absl::StatusOr<std::unique_ptr<prepared::HostStore>> OpenHostStore(
    const prepared::HostStoreOptions& options, const ObjectStoreConfig& connection,
    bool takes_all) {
  if (!HasObjectStore(options)) return prepared::HostStore::Open(options);
  auto shared = ObjectRows::Open({.url = options.object_store,
                                  .bytes = options.object_store_bytes,
                                  .keep_unused = options.keep_unused,
                                  .speed_folder = options.disk_folder,
                                  .takes_all = takes_all},
                                 connection);
  RETURN_IF_ERROR(Annotate(shared.status(), "prepared.object_store"));
  return prepared::HostStore::Open(options, *std::move(shared));
}

}  // namespace tidemill::storage
