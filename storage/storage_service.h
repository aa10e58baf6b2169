// The gRPC face of storage. It translates and never decides.
#pragma once

#include <functional>

#include "base/threads/worker_pool.h"
#include "rpc/stream_budget.h"
#include "rpc/streams/frame_stream.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/index/sample_index.h"
#include "storage/ingest/ingestor.h"
#include "storage/read/dataset_statistics.h"
#include "storage/read/open_files.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::storage {

// The objects that the service calls. All must outlive it.
struct StorageCore {
  DatasetCatalog& catalog;
  Ingestor& ingestor;
  SampleIndex& indexes;
  OpenFiles& files;
  UnpackedCache& unpacked;
  // The threads that gather samples and lists for streams. Their number limits how many streams do
  // so at once.
  WorkerPool& senders;
  rpc::StreamBudget& streams;
  // The payload bytes of a block of ReadSamples.
  int64_t block_bytes = int64_t{2} << 20;
};

// Thread-safe. Lists, reads and descriptions are frames: a reader that stalls holds no thread. A
// stream of samples holds at most three blocks in memory, whatever its reader does. All streams
// together hold at most their budget.
class StorageService final : public rpc::FrameService<v1::StorageService> {
 public:
  explicit StorageService(const StorageCore& core);

  // Wipes the prepared rows of samples that are deleted, wherever rows are kept.
  using WipeKept = std::function<absl::Status(std::span<const int64_t> keys)>;
  // Call it before the service is served.
  void WipeKeptBy(WipeKept wipe) { wipe_kept_ = std::move(wipe); }

  grpc::Status RegisterDataset(grpc::ServerContext* context,
                               const v1::RegisterDatasetRequest* request,
                               v1::RegisterDatasetResponse* response) override;
  grpc::Status ReadDatasetHead(grpc::ServerContext* context,
                               const v1::ReadDatasetHeadRequest* request,
                               v1::ReadDatasetHeadResponse* response) override;
  grpc::Status GetDataset(grpc::ServerContext* context, const v1::GetDatasetRequest* request,
                          v1::GetDatasetResponse* response) override;
  grpc::Status ListDatasets(grpc::ServerContext* context, const v1::ListDatasetsRequest* request,
                            v1::ListDatasetsResponse* response) override;
  grpc::Status SyncDataset(grpc::ServerContext* context, const v1::SyncDatasetRequest* request,
                           grpc::ServerWriter<v1::SyncDatasetResponse>* writer) override;
  grpc::Status ListRecords(grpc::ServerContext* context, const v1::ListRecordsRequest* request,
                           grpc::ServerWriter<v1::ListRecordsResponse>* writer) override;
  grpc::Status FindSamples(grpc::ServerContext* context, const v1::FindSamplesRequest* request,
                           v1::FindSamplesResponse* response) override;
  grpc::Status FindIdentities(grpc::ServerContext* context,
                              const v1::FindIdentitiesRequest* request,
                              v1::FindIdentitiesResponse* response) override;
  grpc::Status DeleteSamples(grpc::ServerContext* context, const v1::DeleteSamplesRequest* request,
                             v1::DeleteSamplesResponse* response) override;
  grpc::Status DeleteDataset(grpc::ServerContext* context, const v1::DeleteDatasetRequest* request,
                             v1::DeleteDatasetResponse* response) override;
  grpc::Status CheckDataset(grpc::ServerContext* context, const v1::CheckDatasetRequest* request,
                            grpc::ServerWriter<v1::CheckDatasetResponse>* writer) override;
  grpc::Status GetDatasetStatistics(grpc::ServerContext* context,
                                    const v1::GetDatasetStatisticsRequest* request,
                                    v1::GetDatasetStatisticsResponse* response) override;
  grpc::Status QuarantineSamples(grpc::ServerContext* context,
                                 const v1::QuarantineSamplesRequest* request,
                                 v1::QuarantineSamplesResponse* response) override;
  grpc::Status ListQuarantine(grpc::ServerContext* context,
                              const v1::ListQuarantineRequest* request,
                              grpc::ServerWriter<v1::ListQuarantineResponse>* writer) override;

 private:
  absl::StatusOr<v1::Dataset> Describe(const DatasetEntry& entry);
  // Calls `send` with what ListQuarantine answers, the oldest first.
  absl::Status ForEachQuarantined(
      DatasetId dataset, int64_t limit,
      const std::function<absl::Status(const DatasetCatalog::Quarantined&)>& send);
  absl::Status AddFiles(DatasetId dataset, const DatasetIndex& index,
                        const DatasetStatistics& statistics,
                        v1::GetDatasetStatisticsResponse* response);
  // Stores the response, once it is filled in, in the command's transaction.
  using ResponseKeeper = std::function<absl::Status(pqxx::work&)>;
  // Runs a command once per request id. Checks its fence, and gives the first answer to a repeated
  // command. `run` passes the guard on to the catalogue. It fills in the response at the end of its
  // transaction and keeps it there.
  template <typename Response>
  absl::Status RunCommand(
      const rpc::v1::Command& command, Response* response,
      const std::function<absl::Status(const CommandGuard&, const ResponseKeeper&)>& run);

  const StorageCore core_;
  WipeKept wipe_kept_ = [](std::span<const int64_t>) { return absl::OkStatus(); };
};

}  // namespace tidemill::storage
