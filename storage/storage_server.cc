#include "storage/storage_server.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/logs/log.h"
#include "config/config.h"
#include "db/migrations.h"
#include "prepared/prepared_config.h"
#include "storage/migrations.h"
#include "storage/prepared_objects/forgotten_keys.h"
#include "storage/prepared_objects/open_host_store.h"

namespace tidemill::storage {

namespace {

std::chrono::milliseconds ToMillis(Duration length) {
  return std::chrono::milliseconds{length.micros / 1000};
}

// Some more than there are cores, since they also wait for disks and for PostgreSQL.
int NumSenders() { return std::max(4, static_cast<int>(std::thread::hardware_concurrency())); }

std::vector<std::string> OwnState(const rpc::ClusterConfig& cluster) {
  return {cluster.state_folder, cluster.token_file, cluster.tls.key};
}

}  // namespace

absl::StatusOr<std::unique_ptr<StorageServer>> StorageServer::Create(
    const StorageConfig& config, const std::string& database, const std::string& folder,
    std::vector<std::string> own_state, DirectServerOptions direct,
    const rpc::StreamLimits& streams) {
  ASSIGN_OR_RETURN(std::unique_ptr<db::Database> connected, db::Database::Connect(database));
  RETURN_IF_ERROR(db::Migrate(*connected, "storage", Migrations()));
  auto source = std::make_unique<AnyFiles>(AllowedRootsOptions{.roots = config.allowed_roots,
                                                               .file = config.allowed_roots_file,
                                                               .own_state = std::move(own_state)},
                                           config.object_store, folder + "/blocks");
  ASSIGN_OR_RETURN(
      std::unique_ptr<UnpackedCache> unpacked,
      UnpackedCache::Create(
          {.folder = folder + "/unpacked", .max_bytes = config.unpacked_cache.bytes}, *source));
  return std::unique_ptr<StorageServer>(new StorageServer(config, folder, std::move(connected),
                                                          std::move(source), std::move(unpacked),
                                                          std::move(direct), streams));
}

StorageServer::StorageServer(const StorageConfig& config, const std::string& folder,
                             std::unique_ptr<db::Database> database,
                             std::unique_ptr<AnyFiles> source,
                             std::unique_ptr<UnpackedCache> unpacked, DirectServerOptions direct,
                             const rpc::StreamLimits& streams)
    : config_(config),
      database_(std::move(database)),
      source_(std::move(source)),
      unpacked_(std::move(unpacked)),
      catalog_(*database_, *unpacked_, {.folder = folder}),
      ingestor_(*database_, catalog_, *unpacked_,
                {.num_parsers = config.num_parsers,
                 .settle = config.settle,
                 .settle_limit = config.settle_limit}),
      indexes_(*database_, catalog_, *unpacked_),
      files_(*unpacked_, config.max_open_files),
      streams_(streams),
      senders_("storage.send", NumSenders()),
      service_({.catalog = catalog_,
                .ingestor = ingestor_,
                .indexes = indexes_,
                .files = files_,
                .unpacked = *unpacked_,
                .senders = senders_,
                .streams = streams_,
                .block_bytes = config.block_bytes.bytes}),
      direct_options_(std::move(direct)) {}

absl::Status StorageServer::Started(const std::string& /*endpoint*/) {
  const std::chrono::milliseconds interval = ToMillis(config_.scan_interval);
  watcher_ = std::make_unique<Watcher>(
      catalog_, ingestor_,
      WatcherOptions{.scan_interval = interval,
                     .store_scan_interval = ToMillis(config_.object_store.scan_interval)});
  refresher_ = std::make_unique<PeriodicTask>("storage.refresh_indexes", interval,
                                              [this] { return indexes_.RefreshAll(); });
  if (direct_options_.path.empty()) return absl::OkStatus();
  auto direct = DirectServer::Start(direct_options_, indexes_, *source_);
  // Clients do without.
  if (!direct.ok()) {
    log::Warn("there are no direct reads", {{"error", direct.status().ToString()}});
  }
  if (direct.ok()) direct_ = *std::move(direct);
  return absl::OkStatus();
}

void StorageServer::Stopping() {
  direct_.reset();
  source_->Stop();
  refresher_.reset();
  watcher_.reset();
}

absl::StatusOr<std::unique_ptr<rpc::RunningService>> MakeStorageServer(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(
      const StorageConfig config,
      config::ReadSection<StorageConfig>(context.config_text, context.config_name, "storage"));
  ASSIGN_OR_RETURN(const std::string folder, context.FolderOf("storage"));
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  const auto endpoint = context.cluster.endpoints.find("storage");
  DirectServerOptions direct{.tokens = context.tokens, .block_bytes = config.block_bytes.bytes};
  if (endpoint != context.cluster.endpoints.end()) {
    direct.path = direct::SocketPathOf(endpoint->second);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<StorageServer> server,
                   StorageServer::Create(config, connection, folder, OwnState(context.cluster),
                                         std::move(direct), context.cluster.streams));
  ASSIGN_OR_RETURN(const auto prepared, config::ReadSection<prepared::PreparedConfig>(
                                            context.config_text, context.config_name, "prepared"));
  const prepared::HostStoreOptions kept =
      prepared::OptionsOf(prepared, context.cluster.state_folder);
  ASSIGN_OR_RETURN(std::shared_ptr<RowObjects> objects, OpenRowObjects(kept, config.object_store));
  const auto forgotten = objects == nullptr ? nullptr : std::make_shared<ForgottenKeys>(*objects);
  server->WipeKeptBy([kept, objects, forgotten](std::span<const int64_t> keys) -> absl::Status {
    const std::vector<std::string> folders = {kept.memory_folder, kept.disk_folder};
    RETURN_IF_ERROR(prepared::WipeKeys(folders, keys).status());
    if (objects == nullptr) return absl::OkStatus();
    return WipeKeysIn(*objects, *forgotten, keys).status();
  });
  return std::unique_ptr<rpc::RunningService>(std::move(server));
}

}  // namespace tidemill::storage
