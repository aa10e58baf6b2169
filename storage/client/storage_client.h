// The calls that other services make to storage.
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
#include "base/time.h"
#include "batch/batch.h"
#include "rpc/channel.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

// The channel and the stub. It is declared here only, so that gRPC stays out of this header.
struct StorageConnection;

// The column of ListSamples() that says which samples the request's `where` is true for.
inline constexpr std::string_view kMatchesColumn = "matches";

// A connection to the storage service. Thread-safe.
//
// Every method retries UNAVAILABLE. Unary calls are retried until the peer's deadline, streams
// until nothing has arrived for that long. The exceptions are a sync and a list of records, which
// end when the connection breaks. A stream that breaks resumes after what was delivered, so a
// sink gets no row twice. A status of a sink other than OK ends the call and is its result.
//
// While a sink is busy, samples and lists are received ahead of it. All calls of a client together
// hold at most 64 MiB, including the buffers of gRPC and of the sink. A sink that stalls also
// stalls storage's stream, and costs it a few blocks.
class StorageClient {
 public:
  static constexpr char kService[] = "storage";

  using SyncProgress = std::function<void(const v1::SyncDatasetResponse&)>;
  using BatchSink = std::function<absl::Status(batch::Batch)>;
  using SampleSink = std::function<absl::Status(batch::Batch, std::vector<v1::MissingSample>)>;
  using DescriptionSink = std::function<absl::Status(
      batch::Batch, std::vector<v1::DescribeSamplesResponse::File> files)>;

  using RecordSink = std::function<absl::Status(v1::ListRecordsResponse&)>;

  explicit StorageClient(const rpc::Peer& peer);
  ~StorageClient();
  StorageClient(StorageClient&&) noexcept;
  StorageClient& operator=(StorageClient&&) noexcept;

  // `spec_yaml` is a DatasetSpec. The errors are documented in the proto.
  absl::StatusOr<v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec_yaml, const rpc::v1::Command& command,
      v1::OnOtherSpec on_other_spec = v1::ON_OTHER_SPEC_UNSPECIFIED) const;
  // Returns the beginning of the first file of such a dataset. Nothing is registered.
  absl::StatusOr<v1::ReadDatasetHeadResponse> ReadDatasetHead(const std::string& spec_yaml) const;
  absl::StatusOr<v1::Dataset> GetDataset(const std::string& name) const;
  absl::StatusOr<std::vector<v1::Dataset>> ListDatasets() const;

  // Ingests all present files and returns a snapshot that contains their samples. The last progress
  // names the files that were not taken, because they still change or cannot be read.
  absl::StatusOr<rpc::v1::Snapshot> SyncDataset(DatasetId dataset,
                                                const SyncProgress& progress) const;
  // Does the same, and waits at most so long for files that still change.
  absl::StatusOr<rpc::v1::Snapshot> SyncDatasetWithin(DatasetId dataset, Duration max_wait,
                                                      const SyncProgress& progress) const;

  // Gives `sink` batches in the order (event_time, key). The columns are key, event_time and, on
  // request, class_label and real_label.
  absl::Status ListSamples(const v1::ListSamplesRequest& request, const BatchSink& sink) const;

  // Gives `sink` batches in the order of `keys`. A key that is listed twice comes twice. The
  // columns are key, event_time, class_label, real_label and payload. A key that cannot be served
  // is listed in `missing` of the batch in which its row would be. There may be any number of keys.
  // On storage's host, records are copied from the data files here (direct_reader.h). Elsewhere,
  // and when that fails, storage sends them.
  absl::Status ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                           const SampleSink& sink) const;

  // Describes samples without reading their data, in the order of `keys`. The columns are key, file
  // (int64), event_time and, when a sample of a batch has one, class_label. Paths of files are
  // below the dataset's folder. Each comes before or with the first sample of the file, and some
  // come more than once. Keys that storage does not know are left out. There may be any number of
  // keys. It is fastest when the keys ascend.
  absl::Status DescribeSamples(DatasetId dataset, std::span<const int64_t> keys,
                               const DescriptionSink& sink) const;

  // Returns what tells the records of these keys from all others, in the order of `keys`; 0 for a
  // sample that is unknown, deleted or cannot be served. There may be any number of keys.
  absl::StatusOr<std::vector<uint64_t>> FindIdentities(DatasetId dataset,
                                                       std::span<const int64_t> keys) const;

  // Looks samples up by their keys, or by their places in files.
  absl::StatusOr<v1::FindSamplesResponse> FindSamples(const v1::FindSamplesRequest& request) const;
  // Gives `sink` the records that match a condition, and the progress. Not retried, because records
  // that were delivered may have been shown.
  absl::Status ListRecords(const v1::ListRecordsRequest& request, const RecordSink& sink) const;

  absl::StatusOr<v1::DeleteSamplesResponse> DeleteSamples(DatasetId dataset,
                                                          std::span<const int64_t> keys,
                                                          const rpc::v1::Command& command) const;
  // Records samples that could not be used, each with its reason. At most 10,000 at a time.
  absl::Status QuarantineSamples(DatasetId dataset, std::span<const int64_t> keys,
                                 std::span<const std::string> reasons) const;
  absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(const std::string& name,
                                                          const rpc::v1::Command& command) const;

  // Reads every sample again. `sink` gets the progress and the damaged samples. A check that is
  // interrupted starts again.
  absl::Status CheckDataset(
      DatasetId dataset,
      const std::function<absl::Status(const v1::CheckDatasetResponse&)>& sink) const;

  // Counts samples by class, over `num_intervals` intervals of time (0 means 20), and by file.
  absl::StatusOr<v1::GetDatasetStatisticsResponse> GetStatistics(DatasetId dataset,
                                                                 int num_intervals) const;

  // Returns at most `limit` entries; 0 means all.
  absl::StatusOr<std::vector<v1::QuarantineEntry>> ListQuarantine(DatasetId dataset,
                                                                  int64_t limit) const;

 private:
  std::unique_ptr<StorageConnection> connection_;
};

}  // namespace tidemill::storage
