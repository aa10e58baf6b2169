// Everything another service may ask of storage.
//
//   const StorageClient storage(peer);
//   ASSIGN_OR_RETURN(const v1::Dataset dataset, storage.GetDataset("elec2"));
//   RETURN_IF_ERROR(storage.ReadSamples({dataset.dataset_id()}, keys,
//       [&](batch::Batch batch, std::vector<v1::MissingSample> missing) { ... }));
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "rpc/channel.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

// Channel and stub, out of sight of those who include this.
struct StorageConnection;

// A connection to the storage service. Thread-safe.
//
// Every method retries UNAVAILABLE: unary calls within the peer's deadline, streams until nothing
// has arrived for that long; but for a sync, which ends when the connection breaks. A stream that
// breaks goes on behind what was delivered, so a sink gets no row twice. What a sink returns other
// than OK ends the call and is its result.
//
// While a sink is busy, samples and lists are received ahead of it: of all the calls of a client at
// most 64 MiB, what gRPC and the sink hold of them included. A sink that stalls stalls storage's
// stream, and costs it a few blocks.
class StorageClient {
 public:
  using SyncProgress = std::function<void(const v1::SyncDatasetResponse&)>;
  using BatchSink = std::function<absl::Status(batch::Batch)>;
  using SampleSink = std::function<absl::Status(batch::Batch, std::vector<v1::MissingSample>)>;
  using DescriptionSink = std::function<absl::Status(
      batch::Batch, std::vector<v1::DescribeSamplesResponse::File> files)>;

  explicit StorageClient(const rpc::Peer& peer);
  ~StorageClient();
  StorageClient(StorageClient&&) noexcept;
  StorageClient& operator=(StorageClient&&) noexcept;

  // `spec_yaml` is a DatasetSpec. Codes as in the proto.
  absl::StatusOr<v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec_yaml, const rpc::v1::Command& command) const;
  // What the first file of such a dataset begins with; nothing is registered.
  absl::StatusOr<v1::ReadDatasetHeadResponse> ReadDatasetHead(const std::string& spec_yaml) const;
  absl::StatusOr<v1::Dataset> GetDataset(const std::string& name) const;
  absl::StatusOr<std::vector<v1::Dataset>> ListDatasets() const;

  // Ingests what is there and returns the snapshot of all of it.
  absl::StatusOr<rpc::v1::Snapshot> SyncDataset(DatasetId dataset,
                                                const SyncProgress& progress) const;

  // Batches with the columns key, event_time and, when asked for, class_label and real_label, in
  // the order (event_time, key).
  absl::Status ListSamples(const v1::ListSamplesRequest& request, const BatchSink& sink) const;

  // Batches with the columns key, event_time, class_label, real_label and payload, in the order of
  // `keys`, a key as often as it stands there; a key that cannot be served is named in the missing
  // of the batch where it would have been. Any number of keys. On storage's host records are copied
  // from the data files here (direct_reader.h), else, or where that fails, sent by storage.
  absl::Status ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                           const SampleSink& sink) const;

  // What is known of samples without reading them: batches with the columns key, file (int64) and,
  // where one of the batch's samples has one, class_label, in the order of `keys`, fastest where
  // they ascend; and the files, below the dataset's folder, each before or with its first sample,
  // some more than once. Keys that storage does not know are left out. Any number of keys.
  absl::Status DescribeSamples(DatasetId dataset, std::span<const int64_t> keys,
                               const DescriptionSink& sink) const;

  absl::StatusOr<v1::DeleteSamplesResponse> DeleteSamples(DatasetId dataset,
                                                          std::span<const int64_t> keys,
                                                          const rpc::v1::Command& command) const;
  // Records samples that were of no use, each with its reason; at most 10,000.
  absl::Status QuarantineSamples(DatasetId dataset, std::span<const int64_t> keys,
                                 std::span<const std::string> reasons) const;
  absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(const std::string& name,
                                                          const rpc::v1::Command& command) const;

  // Reads every sample again; `sink` is told of progress and of what is damaged. A check that is
  // cut off begins anew.
  absl::Status CheckDataset(
      DatasetId dataset,
      const std::function<absl::Status(const v1::CheckDatasetResponse&)>& sink) const;

  // Counts by class, over `num_intervals` of time (0 for 20) and by file.
  absl::StatusOr<v1::GetDatasetStatisticsResponse> GetStatistics(DatasetId dataset,
                                                                 int num_intervals) const;

  // At most `limit` entries; 0 for all.
  absl::StatusOr<std::vector<v1::QuarantineEntry>> ListQuarantine(DatasetId dataset,
                                                                  int64_t limit) const;

 private:
  std::unique_ptr<StorageConnection> connection_;
};

}  // namespace tidemill::storage
