#include "evaluator/evaluator_service.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/byte_frames.h"
#include "rpc/frame_stream.h"
#include "rpc/grpc_status.h"

namespace tidemill::evaluator {
namespace {

constexpr int64_t kMessageBytes = int64_t{1} << 20;
// Most of them wait for jobs.
constexpr int kNumSenders = 16;

// The columns of a request, in messages of about kMessageBytes.
class ColumnsSource final : public rpc::FrameSource {
 public:
  ColumnsSource(ColumnFiles& columns, const grpc::ByteBuffer& request)
      : columns_(columns), request_(request) {}

  int64_t num_bytes_held() const override { return static_cast<int64_t>(request_.Length()); }

  absl::StatusOr<std::optional<grpc::ByteBuffer>> Next(int64_t most_bytes) override {
    if (!is_open_) RETURN_IF_ERROR(Open());
    if (next_ >= rows_.num_rows()) return std::optional<grpc::ByteBuffer>();
    const int64_t from = next_;
    next_ = std::min(next_ + NumRows(most_bytes), rows_.num_rows());
    const batch::Batch part = batch::Slice(rows_, from, next_);
    return std::optional<grpc::ByteBuffer>(
        rpc::MakeFrame(v1::ReadModelColumnsResponse::kBatchFieldNumber, batch::EncodeParts(part)));
  }

  void Cancel() override { stop_.request_stop(); }

 private:
  absl::Status Open() {
    v1::ReadModelColumnsRequest request;
    RETURN_IF_ERROR(rpc::FromBytes(request_, request));
    ASSIGN_OR_RETURN(rows_, columns_.Read(request, stop_.get_token()));
    row_bytes_ =
        std::max<int64_t>(1, batch::BytesOf(rows_) / std::max<int64_t>(1, rows_.num_rows()));
    is_open_ = true;
    return absl::OkStatus();
  }

  // At a multiple of 64 every column can be sent as it lies in the file.
  int64_t NumRows(int64_t most_bytes) const {
    const int64_t num_rows = std::max<int64_t>(1, std::min(kMessageBytes, most_bytes) / row_bytes_);
    return num_rows > 64 ? num_rows / 64 * 64 : num_rows;
  }

  ColumnFiles& columns_;
  const grpc::ByteBuffer request_;
  std::stop_source stop_;
  bool is_open_ = false;
  batch::Batch rows_;
  int64_t row_bytes_ = 1;
  int64_t next_ = 0;
};

}  // namespace

EvaluatorService::EvaluatorService(Evaluator& evaluator, ColumnFiles& columns,
                                   const rpc::StreamLimits& limits)
    : evaluator_(evaluator),
      columns_(columns),
      streams_(limits),
      senders_("evaluator.send", kNumSenders) {
  Serve("ReadModelColumns", {senders_, streams_}, [this](const grpc::ByteBuffer& request) {
    return std::make_unique<ColumnsSource>(columns_, request);
  });
}

grpc::Status EvaluatorService::StartEvaluation(grpc::ServerContext*,
                                               const v1::StartEvaluationRequest* request,
                                               v1::StartEvaluationResponse*) {
  return ToGrpc(evaluator_.Start(*request));
}

grpc::Status EvaluatorService::WatchEvaluation(
    grpc::ServerContext* context, const v1::WatchEvaluationRequest* request,
    grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) {
  const JobKey job{.run = {request->run_id()}, .evaluation = request->evaluation()};
  return rpc::WithPlace(streams_, *context, "WatchEvaluation", [&](const rpc::StreamPermit&) {
    return evaluator_.Watch(
        job, [&](const v1::WatchEvaluationResponse& progress) { return writer->Write(progress); },
        [&] { return !context->IsCancelled(); });
  });
}

grpc::Status EvaluatorService::ListEvaluations(
    grpc::ServerContext* context, const v1::ListEvaluationsRequest* request,
    grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) {
  const auto send_all = [&](rpc::StreamPermit& permit) -> absl::Status {
    ASSIGN_OR_RETURN(auto evaluations, evaluator_.List(RunId{request->run_id()}));
    int64_t num_bytes = 0;
    for (const v1::Evaluation& evaluation : evaluations) {
      num_bytes += static_cast<int64_t>(sizeof(evaluation) + evaluation.ByteSizeLong());
    }
    RETURN_IF_ERROR(permit.Hold(num_bytes));
    v1::ListEvaluationsResponse response;
    for (v1::Evaluation& evaluation : evaluations) {
      *response.mutable_evaluation() = std::move(evaluation);
      if (!writer->Write(response)) break;
    }
    return absl::OkStatus();
  };
  return rpc::WithPlace(streams_, *context, "ListEvaluations", send_all);
}

grpc::Status EvaluatorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                         v1::DeleteRunResponse* response) {
  const auto num_deleted = evaluator_.DeleteRun(request->command());
  if (!num_deleted.ok()) return ToGrpc(num_deleted.status());
  const absl::Status removed = columns_.DeleteRun(RunId{request->command().run_id()});
  if (!removed.ok()) return ToGrpc(removed);
  response->set_num_deleted(*num_deleted);
  return grpc::Status::OK;
}

}  // namespace tidemill::evaluator
