#include "evaluator/model_in_use.h"

#include <memory>
#include <utility>

#include "supervisor_client/model_use_client.h"

namespace tidemill::evaluator {

absl::StatusOr<EvaluatorService::ModelInUse> ModelsInUse(const rpc::ServiceContext& context) {
  using supervisor::v1::ModelChange;
  if (!context.cluster.endpoints.contains("supervisor")) {
    return [](const v1::PredictionModel::PipelineName&) -> absl::StatusOr<ModelChange> {
      return FailedPrecondition(
          "cluster.endpoints of this evaluator names no supervisor to look up the pipeline; give "
          "the number of a model");
    };
  }
  ASSIGN_OR_RETURN(rpc::Peer peer, context.PeerOf("supervisor"));
  // All calls share one connection.
  auto supervisor = std::make_shared<supervisor::ModelUseClient>(std::move(peer));
  return [supervisor](const v1::PredictionModel::PipelineName& pipeline) {
    return supervisor->Get(pipeline.name(), pipeline.namespace_());
  };
}

}  // namespace tidemill::evaluator
