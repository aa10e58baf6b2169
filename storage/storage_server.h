// The storage service as it runs in its process. It owns all parts, in the order of their
// dependencies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "rpc/service_main.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/direct/direct_server.h"
#include "storage/filesystems/any_files.h"
#include "storage/filesystems/storage_config.h"
#include "storage/index/sample_index.h"
#include "storage/ingest/ingestor.h"
#include "storage/ingest/watcher.h"
#include "storage/read/open_files.h"
#include "storage/storage_service.h"

namespace tidemill::storage {

class StorageServer final : public rpc::RunningService {
 public:
  // Migrates the schema. `folder` is storage's part of the state folder. Files in `own_state` are
  // never read as data. `direct` says where direct reads are offered; with an empty path, they
  // are not. UNAVAILABLE when the database cannot be reached.
  static absl::StatusOr<std::unique_ptr<StorageServer>> Create(const StorageConfig& config,
                                                               const std::string& database,
                                                               const std::string& folder,
                                                               std::vector<std::string> own_state,
                                                               DirectServerOptions direct,
                                                               const rpc::StreamLimits& streams);

  // See StorageService::WipeKeptBy().
  void WipeKeptBy(StorageService::WipeKept wipe) { service_.WipeKeptBy(std::move(wipe)); }

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  // Starts watching the registered datasets.
  absl::Status Started(const std::string& /*endpoint*/) override;
  void Stopping() override;

 private:
  StorageServer(const StorageConfig& config, const std::string& folder,
                std::unique_ptr<db::Database> database, std::unique_ptr<AnyFiles> source,
                std::unique_ptr<UnpackedCache> unpacked, DirectServerOptions direct,
                const rpc::StreamLimits& streams);

  const StorageConfig config_;
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<AnyFiles> source_;
  const std::unique_ptr<UnpackedCache> unpacked_;
  DatasetCatalog catalog_;
  Ingestor ingestor_;
  SampleIndex indexes_;
  OpenFiles files_;
  rpc::StreamBudget streams_;
  WorkerPool senders_;
  StorageService service_;
  DirectServerOptions direct_options_;
  // These start once everything above exists.
  std::unique_ptr<DirectServer> direct_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<PeriodicTask> refresher_;
};

// Implements rpc::ServiceFactory for main().
absl::StatusOr<std::unique_ptr<rpc::RunningService>> MakeStorageServer(
    const rpc::ServiceContext& context);

}  // namespace tidemill::storage
