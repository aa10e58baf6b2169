// Calls of other services to the evaluator.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "rpc/channel.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"

namespace tidemill::evaluator {

// Thread-safe.
class EvaluatorClient {
 public:
  static constexpr char kService[] = "evaluator";

  // A status other than OK ends the watch and is its result.
  using ProgressSink = std::function<absl::Status(const v1::WatchEvaluationResponse&)>;

  using BatchSink = std::function<absl::Status(batch::Batch)>;

  explicit EvaluatorClient(rpc::Peer peer);

  absl::StatusOr<v1::ListDevicesResponse> ListDevices();

  // Starts an evaluation. Idempotent by (run, evaluation). INVALID_ARGUMENT when the spec does not
  // decode.
  absl::Status StartEvaluation(const v1::StartEvaluationRequest& request);

  // Calls `progress` with the current state and with every change. Returns the last state, which is
  // DONE or FAILED. NOT_FOUND when the evaluation was never started. UNAVAILABLE when the
  // connection breaks. The call is not retried: start the evaluation again, which continues from
  // its last window, and watch it again.
  absl::StatusOr<v1::WatchEvaluationResponse> WatchEvaluation(RunId run, int32_t evaluation,
                                                              const ProgressSink& progress);

  // Returns the evaluations in the order (evaluation, model, window, measure, slice). Not retried.
  absl::StatusOr<std::vector<v1::Evaluation>> ListEvaluations(RunId run);

  // See evaluator.proto. Not retried.
  absl::StatusOr<v1::SummariseOutcomesResponse> SummariseOutcomes(RunId run,
                                                                  int32_t num_evaluations);
  absl::StatusOr<v1::CompareRunsResponse> CompareRuns(const v1::CompareRunsRequest& request);

  // Reads the answers of a model about samples; see evaluator.proto. Batches come in the order of
  // the keys. A key that is listed twice comes twice. A sample without an answer is left out. The
  // call waits while the columns are computed. It retries UNAVAILABLE until nothing has arrived for
  // the peer's deadline. A stream that breaks resumes after what was delivered, so the sink gets
  // no row twice. A status of the sink other than OK ends the call and is its result. Stopping the
  // peer ends it with CANCELLED.
  absl::Status ReadModelColumns(const v1::ReadModelColumnsRequest& request, const BatchSink& sink);

  // Returns the next records; std::nullopt when there are none any more. Called by a thread of
  // Predict(), which it may keep waiting, until the stop is requested: then the records are of no
  // use any more, and it must return.
  using NextRecords = std::function<absl::StatusOr<std::optional<v1::PredictionRecords>>(
      const std::stop_token& stop)>;
  // What is done about each response, in order: first `model`, then `predictions` for each
  // `NextRecords`.
  struct PredictionSink {
    std::function<absl::Status(const v1::PredictingModel&)> model;
    std::function<absl::Status(v1::Predictions)> predictions;
  };

  // Predicts; see evaluator.proto. `next` is called once the model is known, while earlier records
  // are being answered. A status of `next` or of the sink other than OK ends the call and is its
  // result. Stopping the peer ends it with CANCELLED. Not retried.
  absl::Status Predict(const v1::PredictionModel& model, const NextRecords& next,
                       const PredictionSink& sink);

  // Deletes the evaluations and column files of the command's run. Returns the number of
  // evaluations. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;  // The stub shares it.
  const std::unique_ptr<v1::EvaluatorService::Stub> stub_;
};

}  // namespace tidemill::evaluator
