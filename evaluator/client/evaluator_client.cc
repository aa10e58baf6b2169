#include "evaluator/client/evaluator_client.h"

#include <chrono>
#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::evaluator {

EvaluatorClient::EvaluatorClient(rpc::Peer peer)
    : peer_(std::move(peer)), stub_(v1::EvaluatorService::NewStub(rpc::Connect(peer_))) {}

absl::Status EvaluatorClient::StartEvaluation(const v1::StartEvaluationRequest& request) {
  v1::StartEvaluationResponse response;
  return rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::StartEvaluation, request, &response);
}

absl::StatusOr<v1::WatchEvaluationResponse> EvaluatorClient::WatchEvaluation(
    RunId run, int32_t evaluation, const ProgressSink& progress) {
  v1::WatchEvaluationRequest request;
  request.set_run_id(run.value);
  request.set_evaluation(evaluation);
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const auto reader = stub_->WatchEvaluation(&context, request);
  v1::WatchEvaluationResponse last;
  while (reader->Read(&last)) {
    if (const absl::Status status = progress(last); !status.ok()) {
      context.TryCancel();
      reader->Finish();
      return status;
    }
  }
  RETURN_IF_ERROR(FromGrpc(reader->Finish()));
  if (last.state() != v1::EVALUATION_STATE_DONE && last.state() != v1::EVALUATION_STATE_FAILED) {
    return Unavailable("the watch of evaluation {} ended before the evaluation", evaluation);
  }
  return last;
}

absl::StatusOr<std::vector<v1::Evaluation>> EvaluatorClient::ListEvaluations(RunId run) {
  v1::ListEvaluationsRequest request;
  request.set_run_id(run.value);
  std::vector<v1::Evaluation> evaluations;
  RETURN_IF_ERROR(rpc::internal::Retry(peer_, "ListEvaluations", [&](grpc::ClientContext& context) {
    evaluations.clear();
    const auto reader = stub_->ListEvaluations(&context, request);
    v1::ListEvaluationsResponse response;
    while (reader->Read(&response))
      evaluations.push_back(std::move(*response.mutable_evaluation()));
    return reader->Finish();
  }));
  return evaluations;
}

absl::StatusOr<int64_t> EvaluatorClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::DeleteRun, request, &response));
  return response.num_deleted();
}

}  // namespace tidemill::evaluator
