#include "trainer_server/client/trainer_client.h"

#include <chrono>
#include <thread>
#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::trainer_server {
namespace {

using Stub = v1::TrainerService::Stub;
using Clock = std::chrono::steady_clock;

// For calls that answer when their work is done.
constexpr std::chrono::minutes kLongDeadline{30};
constexpr std::chrono::milliseconds kRetryDelay{100};

rpc::Peer Patient(rpc::Peer peer) {
  peer.deadline = std::max<std::chrono::milliseconds>(peer.deadline, kLongDeadline);
  return peer;
}

}  // namespace

TrainerClient::TrainerClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::TrainerService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<std::string> TrainerClient::FitGraph(const v1::FitGraphRequest& request) {
  v1::FitGraphResponse response;
  RETURN_IF_ERROR(rpc::Call(Patient(peer_), *stub_, &Stub::FitGraph, request, &response));
  return response.fitted_digest();
}

absl::Status TrainerClient::StartTraining(const v1::StartTrainingRequest& request) {
  v1::StartTrainingResponse response;
  return rpc::Call(peer_, *stub_, &Stub::StartTraining, request, &response);
}

absl::StatusOr<v1::WatchTrainingResponse> TrainerClient::WatchTraining(RunId run, int64_t trigger,
                                                                       const Progress& progress) {
  v1::WatchTrainingRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const auto reader = stub_->WatchTraining(&context, request);
  v1::WatchTrainingResponse message;
  absl::Status taken;
  while (taken.ok() && reader->Read(&message)) taken = progress(message);
  if (!taken.ok()) context.TryCancel();
  const absl::Status ended = FromGrpc(reader->Finish());
  if (!taken.ok()) return taken;
  if (!ended.ok()) return ended;
  return message;
}

absl::StatusOr<v1::WatchTrainingResponse> TrainerClient::Train(
    const v1::StartTrainingRequest& request, const Progress& progress) {
  auto heard = Clock::now();
  const Progress hear = [&](const v1::WatchTrainingResponse& message) {
    heard = Clock::now();
    return progress(message);
  };
  while (true) {
    RETURN_IF_ERROR(StartTraining(request));
    const auto last = WatchTraining(RunId{request.command().run_id()}, request.trigger(), hear);
    if (last.ok()) {
      if (last->state() == v1::TRAINING_STATE_DONE) return last;
      if (last->state() == v1::TRAINING_STATE_FAILED)
        return FailedPrecondition("{}", last->error());
      return Cancelled("the training was stopped");
    }
    // NOT_FOUND: the server came back between the two calls.
    const bool again = last.status().code() == absl::StatusCode::kUnavailable ||
                       last.status().code() == absl::StatusCode::kNotFound;
    if (!again || Clock::now() - heard > peer_.deadline) return last.status();
    std::this_thread::sleep_for(kRetryDelay);
  }
}

absl::Status TrainerClient::StopTraining(const rpc::v1::Command& command, int64_t trigger) {
  v1::StopTrainingRequest request;
  *request.mutable_command() = command;
  request.set_trigger(trigger);
  v1::StopTrainingResponse response;
  return rpc::Call(peer_, *stub_, &Stub::StopTraining, request, &response);
}

absl::StatusOr<v1::StoreModelResponse> TrainerClient::StoreModel(const rpc::v1::Command& command,
                                                                 int64_t trigger) {
  v1::StoreModelRequest request;
  *request.mutable_command() = command;
  request.set_trigger(trigger);
  v1::StoreModelResponse response;
  RETURN_IF_ERROR(rpc::Call(Patient(peer_), *stub_, &Stub::StoreModel, request, &response));
  return response;
}

absl::Status TrainerClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  return rpc::Call(peer_, *stub_, &Stub::DeleteRun, request, &response);
}

}  // namespace tidemill::trainer_server
