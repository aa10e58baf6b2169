#include "evaluator/evaluator_service.h"

#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::evaluator {

grpc::Status EvaluatorService::StartEvaluation(grpc::ServerContext*,
                                               const v1::StartEvaluationRequest* request,
                                               v1::StartEvaluationResponse*) {
  return ToGrpc(evaluator_.Start(*request));
}

grpc::Status EvaluatorService::WatchEvaluation(
    grpc::ServerContext* context, const v1::WatchEvaluationRequest* request,
    grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) {
  const JobKey job{.run = {request->run_id()}, .evaluation = request->evaluation()};
  return ToGrpc(evaluator_.Watch(
      job, [&](const v1::WatchEvaluationResponse& progress) { return writer->Write(progress); },
      [&] { return !context->IsCancelled(); }));
}

grpc::Status EvaluatorService::ListEvaluations(
    grpc::ServerContext*, const v1::ListEvaluationsRequest* request,
    grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) {
  auto evaluations = evaluator_.List(RunId{request->run_id()});
  if (!evaluations.ok()) return ToGrpc(evaluations.status());
  v1::ListEvaluationsResponse response;
  for (v1::Evaluation& evaluation : *evaluations) {
    *response.mutable_evaluation() = std::move(evaluation);
    if (!writer->Write(response)) break;
  }
  return grpc::Status::OK;
}

grpc::Status EvaluatorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                         v1::DeleteRunResponse* response) {
  const auto num_deleted = evaluator_.DeleteRun(request->command());
  if (!num_deleted.ok()) return ToGrpc(num_deleted.status());
  response->set_num_deleted(*num_deleted);
  return grpc::Status::OK;
}

}  // namespace tidemill::evaluator
