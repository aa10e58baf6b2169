#include "evaluator/client/evaluator_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/byte_frames.h"
#include "rpc/frame_reader.h"
#include "rpc/stream_call.h"

namespace tidemill::evaluator {
namespace {

constexpr char kReadMethod[] = "/tidemill.evaluator.v1.EvaluatorService/ReadModelColumns";
// Received and not yet decoded.
constexpr int64_t kReadAheadBytes = int64_t{8} << 20;

}  // namespace

EvaluatorClient::EvaluatorClient(rpc::Peer peer)
    : peer_(std::move(peer)),
      channel_(rpc::Connect(peer_)),
      stub_(v1::EvaluatorService::NewStub(channel_)) {}

absl::Status EvaluatorClient::StartEvaluation(const v1::StartEvaluationRequest& request) {
  v1::StartEvaluationResponse response;
  return rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::StartEvaluation, request, &response);
}

absl::StatusOr<v1::WatchEvaluationResponse> EvaluatorClient::WatchEvaluation(
    RunId run, int32_t evaluation, const ProgressSink& progress) {
  v1::WatchEvaluationRequest request;
  request.set_run_id(run.value);
  request.set_evaluation(evaluation);
  v1::WatchEvaluationResponse last;
  RETURN_IF_ERROR(rpc::ReadStream(peer_, *stub_, &v1::EvaluatorService::Stub::WatchEvaluation,
                                  request, [&](v1::WatchEvaluationResponse& message) {
                                    last = message;
                                    return progress(message);
                                  }));
  if (last.state() != v1::EVALUATION_STATE_DONE && last.state() != v1::EVALUATION_STATE_FAILED) {
    return Unavailable("the watch of evaluation {} ended before the evaluation", evaluation);
  }
  return last;
}

absl::StatusOr<std::vector<v1::Evaluation>> EvaluatorClient::ListEvaluations(RunId run) {
  v1::ListEvaluationsRequest request;
  request.set_run_id(run.value);
  std::vector<v1::Evaluation> evaluations;
  RETURN_IF_ERROR(rpc::ReadStream(peer_, *stub_, &v1::EvaluatorService::Stub::ListEvaluations,
                                  request, [&](v1::ListEvaluationsResponse& response) {
                                    evaluations.push_back(
                                        std::move(*response.mutable_evaluation()));
                                    return absl::OkStatus();
                                  }));
  return evaluations;
}

absl::Status EvaluatorClient::ReadModelColumns(const v1::ReadModelColumnsRequest& request,
                                               const BatchSink& sink) {
  rpc::ByteCredits credits(kReadAheadBytes);
  rpc::StreamPatience patience(peer_, *channel_);
  const grpc::ByteBuffer bytes = rpc::ToBytes(request);
  int64_t num_delivered = 0;
  for (;;) {
    rpc::FrameReader reader(peer_, channel_, kReadMethod, bytes, credits);
    // The columns are the same each time, whoever computes them.
    int64_t num_known = num_delivered;
    absl::StatusOr<std::optional<grpc::ByteBuffer>> message = reader.Next();
    for (; message.ok() && message->has_value(); message = reader.Next()) {
      patience.Arrived();
      ASSIGN_OR_RETURN(const rpc::Frame frame,
                       rpc::TakeFrame(**message, v1::ReadModelColumnsResponse::kBatchFieldNumber));
      ASSIGN_OR_RETURN(batch::Batch rows, batch::Decode(frame.bulk));
      const int64_t num_skipped = std::min(num_known, rows.num_rows());
      num_known -= num_skipped;
      if (num_skipped == rows.num_rows()) continue;
      if (num_skipped > 0) rows = batch::Slice(rows, num_skipped, rows.num_rows());
      num_delivered += rows.num_rows();
      RETURN_IF_ERROR(sink(std::move(rows)));
    }
    if (message.ok()) return absl::OkStatus();
    RETURN_IF_ERROR(patience.Wait(message.status()));
  }
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
