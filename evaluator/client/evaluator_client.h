// How other services see the evaluator.
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
  // What it returns other than OK ends the watch and is its result.
  using ProgressSink = std::function<absl::Status(const v1::WatchEvaluationResponse&)>;

  using BatchSink = std::function<absl::Status(batch::Batch)>;

  explicit EvaluatorClient(rpc::Peer peer);

  // Idempotent by (run, evaluation). INVALID_ARGUMENT for a spec that does not decode.
  absl::Status StartEvaluation(const v1::StartEvaluationRequest& request);

  // Calls `progress` with the present state and with every change, and returns the last one, whose
  // state is DONE or FAILED. Not retried: UNAVAILABLE when the connection breaks; start the
  // evaluation again, which goes on where it was, and watch again. NOT_FOUND for one never started.
  absl::StatusOr<v1::WatchEvaluationResponse> WatchEvaluation(RunId run, int32_t evaluation,
                                                              const ProgressSink& progress);

  // In the order (evaluation, model, window, measure, slice). Not retried.
  absl::StatusOr<std::vector<v1::Evaluation>> ListEvaluations(RunId run);

  // What a model says of samples; see evaluator.proto. Batches come in the order of the keys, a key
  // as often as it stands there, samples of which nothing can be said left out. Waits while the
  // columns are computed, and retries UNAVAILABLE until nothing has arrived for the peer's
  // deadline; a stream that breaks goes on behind what was delivered, so the sink gets no row
  // twice. What the sink returns other than OK ends the call and is its result. A stop of the peer
  // ends it with CANCELLED.
  absl::Status ReadModelColumns(const v1::ReadModelColumnsRequest& request, const BatchSink& sink);

  // Forgets the evaluations and column files of the command's run and returns how many
  // evaluations there were. Idempotent.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::shared_ptr<grpc::Channel> channel_;  // Shared with the stub.
  const std::unique_ptr<v1::EvaluatorService::Stub> stub_;
};

}  // namespace tidemill::evaluator
