#include "storage/client/storage_client.h"

#include <algorithm>
#include <utility>

#include "batch/wire.h"
#include "rpc/streams/stream_call.h"
#include "storage/client/sample_stream.h"
#include "storage/client/storage_connection.h"

namespace tidemill::storage {

namespace {

using Stub = v1::StorageService::Stub;

// Keys of one call that names them, so that its request stays far below gRPC's message limit.
constexpr size_t kKeysPerRequest = 100'000;

// Each message adds the same, no matter which attempt delivers it.
constexpr auto kNothingToForget = [] {};

// Calls a method that answers with few, small messages.
template <typename Method, typename Request, typename Before, typename Take>
absl::Status Stream(const StorageConnection& connection, Method method, const Request& request,
                    const Before& before_attempt, const Take& take) {
  return rpc::ReadStreamAgain(connection.peer, *connection.channel, *connection.stub, method,
                              request, before_attempt, take);
}

absl::StatusOr<rpc::v1::Snapshot> StreamSync(const StorageConnection& connection,
                                             const v1::SyncDatasetRequest& request,
                                             const StorageClient::SyncProgress& progress) {
  std::optional<rpc::v1::Snapshot> snapshot;
  RETURN_IF_ERROR(rpc::ReadStream(connection.peer, *connection.stub, &Stub::SyncDataset, request,
                                  [&](v1::SyncDatasetResponse& response) {
                                    if (progress) progress(response);
                                    if (response.has_snapshot()) snapshot = response.snapshot();
                                    return absl::OkStatus();
                                  }));
  if (!snapshot.has_value()) return Unavailable("storage ended the sync without a snapshot");
  return *std::move(snapshot);
}

}  // namespace

StorageClient::StorageClient(const rpc::Peer& peer)
    : connection_(std::make_unique<StorageConnection>()) {
  connection_->peer = peer;
  connection_->channel = rpc::Connect(peer);
  connection_->stub = v1::StorageService::NewStub(connection_->channel);
  connection_->direct = std::make_unique<direct::Reader>(peer);
}
StorageClient::~StorageClient() = default;
StorageClient::StorageClient(StorageClient&&) noexcept = default;
StorageClient& StorageClient::operator=(StorageClient&&) noexcept = default;

absl::StatusOr<v1::RegisterDatasetResponse> StorageClient::RegisterDataset(
    const std::string& name, const std::string& spec_yaml, const rpc::v1::Command& command,
    v1::OnOtherSpec on_other_spec) const {
  v1::RegisterDatasetRequest request;
  request.set_on_other_spec(on_other_spec);
  *request.mutable_command() = command;
  request.set_name(name);
  request.set_spec(spec_yaml);
  v1::RegisterDatasetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::RegisterDataset, request, &response));
  return response;
}

absl::StatusOr<v1::ReadDatasetHeadResponse> StorageClient::ReadDatasetHead(
    const std::string& spec_yaml) const {
  v1::ReadDatasetHeadRequest request;
  request.set_spec(spec_yaml);
  v1::ReadDatasetHeadResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::ReadDatasetHead, request, &response));
  return response;
}

absl::StatusOr<v1::Dataset> StorageClient::GetDataset(const std::string& name) const {
  v1::GetDatasetRequest request;
  request.set_name(name);
  v1::GetDatasetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::GetDataset, request, &response));
  return std::move(*response.mutable_dataset());
}

absl::StatusOr<std::vector<v1::Dataset>> StorageClient::ListDatasets() const {
  const v1::ListDatasetsRequest request;
  v1::ListDatasetsResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::ListDatasets, request, &response));
  return std::vector<v1::Dataset>(response.datasets().begin(), response.datasets().end());
}

absl::StatusOr<rpc::v1::Snapshot> StorageClient::SyncDataset(DatasetId dataset,
                                                             const SyncProgress& progress) const {
  v1::SyncDatasetRequest request;
  request.set_dataset_id(dataset.value);
  return StreamSync(*connection_, request, progress);
}

absl::StatusOr<rpc::v1::Snapshot> StorageClient::SyncDatasetWithin(
    DatasetId dataset, Duration max_wait, const SyncProgress& progress) const {
  v1::SyncDatasetRequest request;
  request.set_dataset_id(dataset.value);
  request.set_max_wait(max_wait.micros);
  return StreamSync(*connection_, request, progress);
}

absl::Status StorageClient::ListSamples(const v1::ListSamplesRequest& request,
                                        const BatchSink& sink) const {
  return StreamList(*connection_, request, sink);
}

absl::Status StorageClient::ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                                        const SampleSink& sink) const {
  const auto through_grpc = [&](std::span<const int64_t> some, const SampleSink& into) {
    return StreamSamples(*connection_, dataset, some, into);
  };
  ASSIGN_OR_RETURN(const size_t num_done,
                   connection_->direct->Read(dataset, keys, sink, through_grpc));
  return through_grpc(keys.subspan(num_done), sink);
}

absl::Status StorageClient::DescribeSamples(DatasetId dataset, std::span<const int64_t> keys,
                                            const DescriptionSink& sink) const {
  for (size_t from = 0; from < keys.size(); from += kKeysPerRequest) {
    const std::span<const int64_t> part =
        keys.subspan(from).first(std::min(keys.size() - from, kKeysPerRequest));
    v1::DescribeSamplesRequest request;
    request.set_dataset_id(dataset.value);
    request.mutable_sample_keys()->Assign(part.begin(), part.end());
    // Kept until the call is over, as one that breaks is made again.
    std::vector<v1::DescribeSamplesResponse> answers;
    RETURN_IF_ERROR(Stream(
        *connection_, &Stub::DescribeSamples, request, [&] { answers.clear(); },
        [&](v1::DescribeSamplesResponse& response) {
          answers.push_back(std::move(response));
          return absl::OkStatus();
        }));
    for (v1::DescribeSamplesResponse& answer : answers) {
      ASSIGN_OR_RETURN(
          batch::Batch rows,
          batch::Decode(batch::Buffer::FromString(std::move(*answer.mutable_batch()))));
      RETURN_IF_ERROR(sink(std::move(rows), {answer.files().begin(), answer.files().end()}));
    }
  }
  return absl::OkStatus();
}

absl::Status StorageClient::QuarantineSamples(DatasetId dataset, std::span<const int64_t> keys,
                                              std::span<const std::string> reasons) const {
  v1::QuarantineSamplesRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_dataset_id(dataset.value);
  request.mutable_sample_keys()->Assign(keys.begin(), keys.end());
  for (const std::string& reason : reasons) request.add_reasons(reason);
  v1::QuarantineSamplesResponse response;
  return rpc::Call(connection_->peer, *connection_->stub, &Stub::QuarantineSamples, request,
                   &response);
}

absl::StatusOr<std::vector<uint64_t>> StorageClient::FindIdentities(
    DatasetId dataset, std::span<const int64_t> keys) const {
  constexpr size_t kMostKeys = 65'536;
  std::vector<uint64_t> identities;
  identities.reserve(keys.size());
  for (size_t from = 0; from < keys.size(); from += kMostKeys) {
    const std::span<const int64_t> part =
        keys.subspan(from).first(std::min(keys.size() - from, kMostKeys));
    v1::FindIdentitiesRequest request;
    request.set_dataset_id(dataset.value);
    request.mutable_sample_keys()->Assign(part.begin(), part.end());
    v1::FindIdentitiesResponse response;
    RETURN_IF_ERROR(rpc::Call(connection_->peer, *connection_->stub, &Stub::FindIdentities, request,
                              &response));
    if (response.identities_size() != std::ssize(part)) {
      return Internal("storage identified {} of {} samples", response.identities_size(),
                      part.size());
    }
    identities.insert(identities.end(), response.identities().begin(), response.identities().end());
  }
  return identities;
}

absl::StatusOr<v1::FindSamplesResponse> StorageClient::FindSamples(
    const v1::FindSamplesRequest& request) const {
  v1::FindSamplesResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::FindSamples, request, &response));
  return response;
}

absl::Status StorageClient::ListRecords(const v1::ListRecordsRequest& request,
                                        const RecordSink& sink) const {
  return rpc::ReadStream(connection_->peer, *connection_->stub, &Stub::ListRecords, request, sink);
}

absl::StatusOr<v1::DeleteSamplesResponse> StorageClient::DeleteSamples(
    DatasetId dataset, std::span<const int64_t> keys, const rpc::v1::Command& command) const {
  v1::DeleteSamplesResponse total;
  for (size_t from = 0; from < keys.size(); from += kKeysPerRequest) {
    const std::span<const int64_t> part =
        keys.subspan(from).first(std::min(keys.size() - from, kKeysPerRequest));
    v1::DeleteSamplesRequest request;
    *request.mutable_command() = command;
    // Each call is a separate command, recognised when the whole is repeated.
    if (from > 0)
      request.mutable_command()->set_request_id(fmt::format("{}/{}", command.request_id(), from));
    request.set_dataset_id(dataset.value);
    request.mutable_sample_keys()->Assign(part.begin(), part.end());
    v1::DeleteSamplesResponse response;
    RETURN_IF_ERROR(
        rpc::Call(connection_->peer, *connection_->stub, &Stub::DeleteSamples, request, &response));
    total.set_num_deleted(total.num_deleted() + response.num_deleted());
  }
  return total;
}

absl::StatusOr<v1::DeleteDatasetResponse> StorageClient::DeleteDataset(
    const std::string& name, const rpc::v1::Command& command) const {
  v1::DeleteDatasetRequest request;
  *request.mutable_command() = command;
  request.set_name(name);
  v1::DeleteDatasetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::DeleteDataset, request, &response));
  return response;
}

absl::Status StorageClient::CheckDataset(
    DatasetId dataset,
    const std::function<absl::Status(const v1::CheckDatasetResponse&)>& sink) const {
  v1::CheckDatasetRequest request;
  request.set_dataset_id(dataset.value);
  return Stream(*connection_, &Stub::CheckDataset, request, kNothingToForget,
                [&](v1::CheckDatasetResponse& response) { return sink(response); });
}

absl::StatusOr<v1::GetDatasetStatisticsResponse> StorageClient::GetStatistics(
    DatasetId dataset, int num_intervals) const {
  v1::GetDatasetStatisticsRequest request;
  request.set_dataset_id(dataset.value);
  request.set_num_intervals(num_intervals);
  v1::GetDatasetStatisticsResponse response;
  RETURN_IF_ERROR(rpc::Call(connection_->peer, *connection_->stub, &Stub::GetDatasetStatistics,
                            request, &response));
  return response;
}

absl::StatusOr<std::vector<v1::QuarantineEntry>> StorageClient::ListQuarantine(
    DatasetId dataset, int64_t limit) const {
  v1::ListQuarantineRequest request;
  request.set_dataset_id(dataset.value);
  request.set_limit(limit);
  std::vector<v1::QuarantineEntry> entries;
  RETURN_IF_ERROR(Stream(
      *connection_, &Stub::ListQuarantine, request, [&] { entries.clear(); },
      [&](v1::ListQuarantineResponse& response) {
        entries.push_back(std::move(*response.mutable_entry()));
        return absl::OkStatus();
      }));
  return entries;
}

}  // namespace tidemill::storage
