// Calls of other services to the evaluator.
#pragma once

#include <functional>
#include <memory>
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
  // A status other than OK ends the watch and is its result.
  using ProgressSink = std::function<absl::Status(const v1::WatchEvaluationResponse&)>;

  using BatchSink = std::function<absl::Status(batch::Batch)>;

  explicit EvaluatorClient(rpc::Peer peer);

  // Starts an evaluation. Idempotent by (run, evaluation). INVALID_ARGUMENT when the spec does not
  // decode.
  absl::Status StartEvaluation(const v1::StartEvaluationRequest& request);

  // Calls `progress` with the present state and with every change. Returns the last state, which is
  // DONE or FAILED. NOT_FOUND when the evaluation was never started. UNAVAILABLE when the
  // connection breaks. The call is not retried: start the evaluation again, which continues where
  // it was, and watch it again.
  absl::StatusOr<v1::WatchEvaluationResponse> WatchEvaluation(RunId run, int32_t evaluation,
                                                              const ProgressSink& progress);

  // Returns the evaluations in the order (evaluation, model, window, measure, slice). Not retried.
  absl::StatusOr<std::vector<v1::Evaluation>> ListEvaluations(RunId run);

  // Reads the answers of a model about samples; see evaluator.proto. Batches come in the order of
  // the keys. A key that is listed twice comes twice. A sample without an answer is left out. The
  // call waits while the columns are computed. It retries UNAVAILABLE until nothing has arrived for
  // the peer's deadline. A stream that breaks continues behind what was delivered, so the sink gets
  // no row twice. A status of the sink other than OK ends the call and is its result. Stopping the
  // peer ends it with CANCELLED.
  absl::Status ReadModelColumns(const v1::ReadModelColumnsRequest& request, const BatchSink& sink);

  // Deletes the evaluations and column files of the command's run. Returns the number of
  // evaluations. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;  // The stub shares it.
  const std::unique_ptr<v1::EvaluatorService::Stub> stub_;
};

}  // namespace tidemill::evaluator
