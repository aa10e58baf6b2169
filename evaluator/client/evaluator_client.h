// How other services see the evaluator.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"

namespace tidemill::evaluator {

// Thread-safe.
class EvaluatorClient {
 public:
  // What it returns other than OK ends the watch and is its result.
  using ProgressSink = std::function<absl::Status(const v1::WatchEvaluationResponse&)>;

  explicit EvaluatorClient(rpc::Peer peer);

  // Idempotent by (run, evaluation). INVALID_ARGUMENT for a spec that does not decode.
  absl::Status StartEvaluation(const v1::StartEvaluationRequest& request);

  // Calls `progress` with the present state and with every change, and returns the last one, whose
  // state is DONE or FAILED. Not retried: UNAVAILABLE when the connection breaks; start the
  // evaluation again, which goes on where it was, and watch again. NOT_FOUND for one never started.
  absl::StatusOr<v1::WatchEvaluationResponse> WatchEvaluation(RunId run, int32_t evaluation,
                                                              const ProgressSink& progress);

  // In the order (evaluation, model, window, measure, slice). Retries UNAVAILABLE.
  absl::StatusOr<std::vector<v1::Evaluation>> ListEvaluations(RunId run);

  // Forgets the evaluations of the command's run and returns how many there were. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::EvaluatorService::Stub> stub_;
};

}  // namespace tidemill::evaluator
