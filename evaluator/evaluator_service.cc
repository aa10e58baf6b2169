#include "evaluator/evaluator_service.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/grpc_status.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_stream.h"

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

  // At a multiple of 64 every column can be sent straight from the file.
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

// Answers one stream of Predict. It has a process for a request and not for the stream, so that a
// caller who is silent keeps none from others.
class PredictionStream {
 public:
  using Stream = grpc::ServerReaderWriter<v1::PredictResponse, v1::PredictRequest>;

  PredictionStream(const EvaluatorService::Cores& cores, rpc::StreamPermit& permit, Stream& stream,
                   Predictors::Alive alive)
      : cores_(cores), permit_(permit), stream_(stream), alive_(std::move(alive)) {}

  absl::Status Run() {
    v1::PredictRequest request;
    if (!permit_.Read(stream_, &request)) return absl::OkStatus();
    ASSIGN_OR_RETURN(model_, ModelOf(request));
    v1::PredictResponse response;
    {
      ASSIGN_OR_RETURN(const Predictors::Lease lease, Take());
      *response.mutable_model() = lease.model();
      if (in_use_) *response.mutable_model()->mutable_in_use() = *in_use_;
    }
    permit_.Write(stream_, response);
    while (permit_.Read(stream_, &request)) {
      RETURN_IF_ERROR(Check(request));
      ASSIGN_OR_RETURN(*response.mutable_predictions(), Answer(request.records()));
      if (!permit_.Write(stream_, response)) break;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int kMaxRecords = 4096;
  static constexpr int kMaxAttempts = 3;

  absl::StatusOr<ModelId> ModelOf(const v1::PredictRequest& request) {
    if (!request.has_model()) return InvalidArgument("the first request must name the model");
    const v1::PredictionModel& model = request.model();
    if (model.has_pipeline()) {
      ASSIGN_OR_RETURN(in_use_, cores_.model_in_use(model.pipeline()));
      return ModelId{in_use_->model_id()};
    }
    if (model.has_model_id()) return ModelId{model.model_id()};
    return InvalidArgument("the request names neither a model nor a pipeline");
  }

  static absl::Status Check(const v1::PredictRequest& request) {
    if (!request.has_records()) return InvalidArgument("a request after the first has no records");
    const v1::PredictionRecords& records = request.records();
    if (records.records_size() > kMaxRecords) {
      return InvalidArgument("a request has {} records; at most {} are allowed",
                             records.records_size(), kMaxRecords);
    }
    if (records.event_times_size() != 0 && records.event_times_size() != records.records_size()) {
      return InvalidArgument("{} records have {} event times", records.records_size(),
                             records.event_times_size());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Predictors::Lease> Take() {
    for (int attempt = 1;; ++attempt) {
      absl::StatusOr<Predictors::Lease> lease = cores_.predictors.Take(model_, alive_);
      if (!absl::IsUnavailable(lease.status()) || attempt == kMaxAttempts) return lease;
    }
  }

  // A process that dies costs only time, unless the records kill every process.
  absl::StatusOr<v1::Predictions> Answer(const v1::PredictionRecords& records) {
    for (int attempt = 1;; ++attempt) {
      ASSIGN_OR_RETURN(Predictors::Lease lease, Take());
      absl::StatusOr<v1::Predictions> predictions = lease.Predict(records, alive_);
      if (!absl::IsUnavailable(predictions.status()) || attempt == kMaxAttempts) {
        return predictions;
      }
    }
  }

  const EvaluatorService::Cores& cores_;
  rpc::StreamPermit& permit_;
  Stream& stream_;
  const Predictors::Alive alive_;
  ModelId model_;
  std::optional<supervisor::v1::ModelChange> in_use_;  // For the name of a pipeline.
};

}  // namespace

EvaluatorService::EvaluatorService(Cores cores, const rpc::StreamLimits& limits)
    : cores_(std::move(cores)), streams_(limits), senders_("evaluator.send", kNumSenders) {
  Serve("ReadModelColumns", {senders_, streams_}, [this](const grpc::ByteBuffer& request) {
    return std::make_unique<ColumnsSource>(cores_.columns, request);
  });
}

grpc::Status EvaluatorService::ListDevices(grpc::ServerContext*, const v1::ListDevicesRequest*,
                                           v1::ListDevicesResponse* response) {
  const devices::Slots& slots = cores_.evaluator.slots();
  for (rpc::v1::Slot& slot : slots.List()) *response->add_slots() = std::move(slot);
  response->set_why_no_gpu(slots.why_no_gpu());
  return grpc::Status::OK;
}

grpc::Status EvaluatorService::StartEvaluation(grpc::ServerContext*,
                                               const v1::StartEvaluationRequest* request,
                                               v1::StartEvaluationResponse*) {
  return ToGrpc(cores_.evaluator.Start(*request));
}

grpc::Status EvaluatorService::WatchEvaluation(
    grpc::ServerContext* context, const v1::WatchEvaluationRequest* request,
    grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) {
  const JobKey job{.run = {request->run_id()}, .evaluation = request->evaluation()};
  return rpc::WithPlace(streams_, *context, "WatchEvaluation", [&](rpc::StreamPermit& permit) {
    return cores_.evaluator.Watch(
        job,
        [&](const v1::WatchEvaluationResponse& progress) {
          return permit.Write(*writer, progress);
        },
        [&] { return !context->IsCancelled(); });
  });
}

grpc::Status EvaluatorService::ListEvaluations(
    grpc::ServerContext* context, const v1::ListEvaluationsRequest* request,
    grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) {
  const auto send_all = [&](rpc::StreamPermit& permit) -> absl::Status {
    ASSIGN_OR_RETURN(auto evaluations, cores_.evaluator.List(RunId{request->run_id()}));
    int64_t num_bytes = 0;
    for (const v1::Evaluation& evaluation : evaluations) {
      num_bytes += static_cast<int64_t>(sizeof(evaluation) + evaluation.ByteSizeLong());
    }
    RETURN_IF_ERROR(permit.Hold(num_bytes));
    v1::ListEvaluationsResponse response;
    for (v1::Evaluation& evaluation : evaluations) {
      *response.mutable_evaluation() = std::move(evaluation);
      if (!permit.Write(*writer, response)) break;
    }
    return absl::OkStatus();
  };
  return rpc::WithPlace(streams_, *context, "ListEvaluations", send_all);
}

grpc::Status EvaluatorService::SummariseOutcomes(grpc::ServerContext*,
                                                 const v1::SummariseOutcomesRequest* request,
                                                 v1::SummariseOutcomesResponse* response) {
  auto summary = cores_.summaries.Summarise(*request);
  if (!summary.ok()) return ToGrpc(summary.status());
  *response = *std::move(summary);
  return grpc::Status::OK;
}

grpc::Status EvaluatorService::CompareRuns(grpc::ServerContext*,
                                           const v1::CompareRunsRequest* request,
                                           v1::CompareRunsResponse* response) {
  auto comparison = cores_.summaries.Compare(*request);
  if (!comparison.ok()) return ToGrpc(comparison.status());
  *response = *std::move(comparison);
  return grpc::Status::OK;
}

grpc::Status EvaluatorService::Predict(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::PredictResponse, v1::PredictRequest>* stream) {
  return rpc::WithPlace(streams_, *context, "Predict", [&](rpc::StreamPermit& permit) {
    const auto alive = [context] { return !context->IsCancelled(); };
    return PredictionStream(cores_, permit, *stream, alive).Run();
  });
}

grpc::Status EvaluatorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                         v1::DeleteRunResponse* response) {
  const auto num_deleted = cores_.evaluator.DeleteRun(request->command());
  if (!num_deleted.ok()) return ToGrpc(num_deleted.status());
  const absl::Status removed = cores_.columns.DeleteRun(RunId{request->command().run_id()});
  if (!removed.ok()) return ToGrpc(removed);
  cores_.predictors.DeleteRun(RunId{request->command().run_id()});
  response->set_num_deleted(*num_deleted);
  return grpc::Status::OK;
}

}  // namespace tidemill::evaluator
