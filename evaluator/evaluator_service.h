// The gRPC face of Evaluator, OutcomeSummaries, ColumnFiles and Predictors. It translates and never
// decides. See evaluator.proto.
#pragma once

#include <functional>

#include "base/id.h"
#include "base/threads/worker_pool.h"
#include "evaluator/column_files.h"
#include "evaluator/evaluator.h"
#include "evaluator/outcome_summaries.h"
#include "evaluator/predictors.h"
#include "rpc/stream_budget.h"
#include "rpc/streams/frame_stream.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"
#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::evaluator {

// Thread-safe. ReadModelColumns sends frames of the mapped file. A reader that stalls therefore
// holds neither a thread nor memory. A reader that waits for a job holds a thread.
class EvaluatorService final : public rpc::FrameService<v1::EvaluatorService> {
 public:
  // Returns the model that a pipeline has in use, and why. NOT_FOUND; FAILED_PRECONDITION when it
  // has none.
  using ModelInUse = std::function<absl::StatusOr<supervisor::v1::ModelChange>(
      const v1::PredictionModel::PipelineName& pipeline)>;

  // The cores that it translates for. All must outlive this object.
  struct Cores {
    Evaluator& evaluator;
    ColumnFiles& columns;
    Predictors& predictors;
    OutcomeSummaries& summaries;
    ModelInUse model_in_use;
  };
  EvaluatorService(Cores cores, const rpc::StreamLimits& limits);

  grpc::Status ListDevices(grpc::ServerContext*, const v1::ListDevicesRequest*,
                           v1::ListDevicesResponse* response) override;
  grpc::Status StartEvaluation(grpc::ServerContext*, const v1::StartEvaluationRequest* request,
                               v1::StartEvaluationResponse*) override;
  grpc::Status WatchEvaluation(grpc::ServerContext* context,
                               const v1::WatchEvaluationRequest* request,
                               grpc::ServerWriter<v1::WatchEvaluationResponse>* writer) override;
  grpc::Status ListEvaluations(grpc::ServerContext*, const v1::ListEvaluationsRequest* request,
                               grpc::ServerWriter<v1::ListEvaluationsResponse>* writer) override;
  grpc::Status SummariseOutcomes(grpc::ServerContext*, const v1::SummariseOutcomesRequest* request,
                                 v1::SummariseOutcomesResponse* response) override;
  grpc::Status CompareRuns(grpc::ServerContext*, const v1::CompareRunsRequest* request,
                           v1::CompareRunsResponse* response) override;
  grpc::Status Predict(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::PredictResponse, v1::PredictRequest>* stream) override;
  grpc::Status DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                         v1::DeleteRunResponse* response) override;

 private:
  const Cores cores_;
  rpc::StreamBudget streams_;
  WorkerPool senders_;
};

}  // namespace tidemill::evaluator
