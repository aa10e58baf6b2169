#include "storage/client/storage_client.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "batch/wire.h"
#include "rpc/grpc_status.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::storage {

struct StorageConnection {
  rpc::Peer peer;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::StorageService::Stub> stub;
};

namespace {

using Clock = std::chrono::steady_clock;
using Stub = v1::StorageService::Stub;

// How often a wait for the service looks whether the caller still wants it.
constexpr std::chrono::milliseconds kPatience{200};
// Keys of one ReadSamples call, so that its request stays far below gRPC's message limit.
constexpr size_t kKeysPerCall = 100'000;

// Calls a streaming method and hands each message to `take`; calls again when the connection
// breaks, until no message has come for the peer's deadline. `make_request` is asked before each
// attempt, so that it can leave out what was received.
template <typename Request, typename Response>
absl::Status Stream(const StorageConnection& connection,
                    std::unique_ptr<grpc::ClientReader<Response>> (Stub::*method)(
                        grpc::ClientContext*, const Request&),
                    const std::function<Request()>& make_request,
                    const std::function<absl::Status(Response&)>& take) {
  Clock::time_point last_message = Clock::now();
  std::chrono::milliseconds pause{20};
  while (true) {
    grpc::ClientContext context;
    rpc::Prepare(connection.peer, std::chrono::milliseconds{0}, context);
    const std::stop_callback cancel(connection.peer.stop, [&context] { context.TryCancel(); });
    const Request request = make_request();
    const auto reader = (connection.stub.get()->*method)(&context, request);
    Response response;
    while (reader->Read(&response)) {
      last_message = Clock::now();
      pause = std::chrono::milliseconds{20};
      if (const absl::Status taken = take(response); !taken.ok()) {
        context.TryCancel();
        while (reader->Read(&response)) {
        }
        reader->Finish();
        return taken;
      }
    }
    const absl::Status ended = FromGrpc(reader->Finish());
    const Clock::time_point give_up = last_message + connection.peer.deadline;
    if (ended.code() != absl::StatusCode::kUnavailable || Clock::now() > give_up) return ended;
    std::this_thread::sleep_for(pause);
    // gRPC attends to the connection only while somebody waits for it.
    while (!connection.peer.stop.stop_requested() && Clock::now() < give_up &&
           !connection.channel->WaitForConnected(std::chrono::system_clock::now() + kPatience)) {
    }
    if (connection.peer.stop.stop_requested()) return Cancelled("the caller stopped");
    pause = std::min(pause * 2, std::chrono::milliseconds{1000});
  }
}

absl::StatusOr<batch::Batch> DecodeBatch(std::string* bytes) {
  return batch::Decode(batch::Buffer::FromString(std::move(*bytes)));
}

batch::Batch WithoutFirstRows(const batch::Batch& rows, int64_t count) {
  std::vector<int64_t> rest(static_cast<size_t>(rows.num_rows() - count));
  std::iota(rest.begin(), rest.end(), count);
  return rows.Take(rest);
}

}  // namespace

StorageClient::StorageClient(const rpc::Peer& peer)
    : connection_(std::make_unique<StorageConnection>()) {
  connection_->peer = peer;
  connection_->channel = rpc::Connect(peer);
  connection_->stub = v1::StorageService::NewStub(connection_->channel);
}
StorageClient::~StorageClient() = default;
StorageClient::StorageClient(StorageClient&&) noexcept = default;
StorageClient& StorageClient::operator=(StorageClient&&) noexcept = default;

absl::StatusOr<v1::RegisterDatasetResponse> StorageClient::RegisterDataset(
    const std::string& name, const std::string& spec_yaml, const rpc::v1::Command& command) const {
  v1::RegisterDatasetRequest request;
  *request.mutable_command() = command;
  request.set_name(name);
  request.set_spec(spec_yaml);
  v1::RegisterDatasetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(connection_->peer, *connection_->stub, &Stub::RegisterDataset, request, &response));
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
  std::optional<rpc::v1::Snapshot> snapshot;
  RETURN_IF_ERROR((Stream<v1::SyncDatasetRequest, v1::SyncDatasetResponse>(
      *connection_, &Stub::SyncDataset, [&] { return request; },
      [&](v1::SyncDatasetResponse& response) {
        if (progress) progress(response);
        if (response.has_snapshot()) snapshot = response.snapshot();
        return absl::OkStatus();
      })));
  if (!snapshot.has_value()) return Internal("storage ended a sync without a snapshot");
  return *std::move(snapshot);
}

absl::Status StorageClient::ListSamples(const v1::ListSamplesRequest& request,
                                        const BatchSink& sink) const {
  int64_t num_received = 0;
  int64_t num_to_skip = 0;
  return Stream<v1::ListSamplesRequest, v1::ListSamplesResponse>(
      *connection_, &Stub::ListSamples,
      [&] {
        num_to_skip = num_received;
        return request;
      },
      [&](v1::ListSamplesResponse& response) -> absl::Status {
        ASSIGN_OR_RETURN(batch::Batch rows, DecodeBatch(response.mutable_batch()));
        const int64_t num_known = std::min(num_to_skip, rows.num_rows());
        num_to_skip -= num_known;
        if (num_known == rows.num_rows()) return absl::OkStatus();
        if (num_known > 0) rows = WithoutFirstRows(rows, num_known);
        num_received += rows.num_rows();
        return sink(std::move(rows));
      });
}

absl::Status StorageClient::ReadSamples(DatasetId dataset, std::span<const int64_t> keys,
                                        const SampleSink& sink) const {
  while (!keys.empty()) {
    std::span<const int64_t> rest = keys.first(std::min(keys.size(), kKeysPerCall));
    keys = keys.subspan(rest.size());
    RETURN_IF_ERROR((Stream<v1::ReadSamplesRequest, v1::ReadSamplesResponse>(
        *connection_, &Stub::ReadSamples,
        [&] {
          v1::ReadSamplesRequest request;
          request.set_dataset_id(dataset.value);
          request.mutable_sample_keys()->Assign(rest.begin(), rest.end());
          return request;
        },
        [&](v1::ReadSamplesResponse& response) -> absl::Status {
          ASSIGN_OR_RETURN(batch::Batch rows, DecodeBatch(response.mutable_batch()));
          std::vector<v1::MissingSample> missing(response.missing().begin(),
                                                 response.missing().end());
          const size_t num_answered = static_cast<size_t>(rows.num_rows()) + missing.size();
          if (num_answered > rest.size()) {
            return Internal("storage answered {} keys of {}", num_answered, rest.size());
          }
          rest = rest.subspan(num_answered);
          return sink(std::move(rows), std::move(missing));
        })));
    if (!rest.empty()) return Internal("storage left {} keys unanswered", rest.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::DeleteSamplesResponse> StorageClient::DeleteSamples(
    DatasetId dataset, std::span<const int64_t> keys, const rpc::v1::Command& command) const {
  v1::DeleteSamplesResponse total;
  for (size_t from = 0; from < keys.size(); from += kKeysPerCall) {
    const std::span<const int64_t> part =
        keys.subspan(from).first(std::min(keys.size() - from, kKeysPerCall));
    v1::DeleteSamplesRequest request;
    *request.mutable_command() = command;
    // Each call is a command of its own, recognised when the whole is repeated.
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
  return Stream<v1::CheckDatasetRequest, v1::CheckDatasetResponse>(
      *connection_, &Stub::CheckDataset, [&] { return request; },
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
  RETURN_IF_ERROR((Stream<v1::ListQuarantineRequest, v1::ListQuarantineResponse>(
      *connection_, &Stub::ListQuarantine,
      [&] {
        entries.clear();
        return request;
      },
      [&](v1::ListQuarantineResponse& response) {
        entries.push_back(std::move(*response.mutable_entry()));
        return absl::OkStatus();
      })));
  return entries;
}

}  // namespace tidemill::storage
