#include "evaluator/client/evaluator_client.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/threads/worker_pool.h"
#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/grpc_status.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "rpc/streams/stream_call.h"

namespace tidemill::evaluator {
namespace {

constexpr char kReadMethod[] = "/tidemill.evaluator.v1.EvaluatorService/ReadModelColumns";
// Received and not yet decoded.
constexpr int64_t kReadAheadBytes = int64_t{8} << 20;

// Sends all records, unless the stream ends before.
absl::Status SendRecords(
    const EvaluatorClient::NextRecords& next, const std::stop_token& stop,
    grpc::ClientReaderWriterInterface<v1::PredictRequest, v1::PredictResponse>& stream) {
  v1::PredictRequest request;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<v1::PredictionRecords> records, next(stop));
    if (!records) return absl::OkStatus();
    *request.mutable_records() = *std::move(records);
    if (!stream.Write(request)) return absl::OkStatus();
  }
}

}  // namespace

EvaluatorClient::EvaluatorClient(rpc::Peer peer)
    : peer_(std::move(peer)),
      channel_(rpc::Connect(peer_)),
      stub_(v1::EvaluatorService::NewStub(channel_)) {}

absl::StatusOr<v1::ListDevicesResponse> EvaluatorClient::ListDevices() {
  v1::ListDevicesResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::ListDevices,
                            v1::ListDevicesRequest(), &response));
  return response;
}

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

absl::StatusOr<v1::SummariseOutcomesResponse> EvaluatorClient::SummariseOutcomes(
    RunId run, int32_t num_evaluations) {
  v1::SummariseOutcomesRequest request;
  request.set_run_id(run.value);
  request.set_num_evaluations(num_evaluations);
  v1::SummariseOutcomesResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::SummariseOutcomes, request, &response));
  return response;
}

absl::StatusOr<v1::CompareRunsResponse> EvaluatorClient::CompareRuns(
    const v1::CompareRunsRequest& request) {
  v1::CompareRunsResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::EvaluatorService::Stub::CompareRuns, request, &response));
  return response;
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

absl::Status EvaluatorClient::Predict(const v1::PredictionModel& model, const NextRecords& next,
                                      const PredictionSink& sink) {
  grpc::ClientContext context;
  rpc::Prepare(peer_, std::chrono::milliseconds{0}, context);
  const std::stop_callback cancel(peer_.stop, [&context] { context.TryCancel(); });
  const auto stream = stub_->Predict(&context);
  v1::PredictRequest request;
  *request.mutable_model() = model;
  v1::PredictResponse response;
  absl::Status taken;
  absl::Status made;
  std::stop_source unwanted;  // The records that come next.
  std::optional<WorkerPool> sender;
  if (stream->Write(request) && stream->Read(&response)) {
    taken = sink.model(response.model());
    sender.emplace("predict.send", 1);
    sender->Submit([&, failed = !taken.ok()] {
      made = failed ? absl::OkStatus() : SendRecords(next, unwanted.get_token(), *stream);
      if (!made.ok() && !unwanted.stop_requested()) context.TryCancel();
      stream->WritesDone();
    });
  }
  while (taken.ok() && stream->Read(&response)) {
    taken = sink.predictions(std::move(*response.mutable_predictions()));
  }
  if (!taken.ok()) context.TryCancel();
  while (stream->Read(&response)) {
  }
  unwanted.request_stop();
  sender.reset();  // Waits until all is sent.
  absl::Status ended = FromGrpc(stream->Finish());
  if (!taken.ok()) return taken;
  if (made.ok() && absl::IsCancelled(ended) && !peer_.stop.stop_requested()) {
    ended = Unavailable(
        "the evaluator ended the stream: it was silent, and another one needed its place; ask "
        "again "
        "for the records without an answer");
  }
  return made.ok() || absl::IsCancelled(made) ? ended : made;
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
