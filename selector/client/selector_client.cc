#include "selector/client/selector_client.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "batch/wire.h"
#include "rpc/grpc_status.h"

namespace tidemill::selector {

SelectorClient::SelectorClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::SelectorService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::TrainingSet> SelectorClient::SealTrainingSet(
    const v1::SealTrainingSetRequest& request) {
  v1::SealTrainingSetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::SealTrainingSet, request, &response));
  return std::move(*response.mutable_training_set());
}

absl::StatusOr<v1::TrainingSet> SelectorClient::GetTrainingSet(RunId run, int64_t trigger) {
  v1::GetTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  v1::GetTrainingSetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::GetTrainingSet, request, &response));
  return std::move(*response.mutable_training_set());
}

absl::StatusOr<batch::Batch> SelectorClient::ReadTrainingSet(RunId run, int64_t trigger) {
  return ReadTrainingSet(run, trigger, 0, 0);
}

absl::StatusOr<batch::Batch> SelectorClient::ReadTrainingSet(RunId run, int64_t trigger,
                                                             int64_t from_ordinal,
                                                             int64_t to_ordinal) {
  v1::ReadTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  request.set_from_ordinal(from_ordinal);
  request.set_to_ordinal(to_ordinal);
  return Read(request);
}

absl::StatusOr<batch::Batch> SelectorClient::ReadLateSamples(RunId run, int64_t trigger) {
  v1::ReadTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  request.set_late(true);
  return Read(request);
}

absl::StatusOr<batch::Batch> SelectorClient::Read(const v1::ReadTrainingSetRequest& request) {
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const auto reader = stub_->ReadTrainingSet(&context, request);
  std::vector<batch::Batch> slices;
  absl::Status decoded;
  v1::ReadTrainingSetResponse response;
  while (decoded.ok() && reader->Read(&response)) {
    auto slice = batch::Decode(batch::Buffer::FromString(std::move(*response.mutable_batch())));
    decoded = slice.status();
    if (slice.ok()) slices.push_back(*std::move(slice));
  }
  if (!decoded.ok()) context.TryCancel();
  const grpc::Status finished = reader->Finish();
  RETURN_IF_ERROR(decoded);
  RETURN_IF_ERROR(FromGrpc(finished));
  if (slices.empty()) {
    batch::Batch none(0);
    RETURN_IF_ERROR(none.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, {})));
    return none;
  }
  return batch::Concatenate(slices);
}

absl::StatusOr<int64_t> SelectorClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::DeleteRun, request, &response));
  return response.num_deleted();
}

}  // namespace tidemill::selector
