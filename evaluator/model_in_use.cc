#include "evaluator/model_in_use.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model_store/client/model_store_client.h"
#include "supervisor/client/supervisor_client.h"

namespace tidemill::evaluator {
namespace {

class PipelineModels {
 public:
  PipelineModels(rpc::Peer supervisor, rpc::Peer model_store)
      : supervisor_(std::move(supervisor)), models_(std::move(model_store)) {}

  absl::StatusOr<ModelId> Find(const v1::PredictionModel::PipelineName& pipeline) {
    const std::string& name = pipeline.name();
    ASSIGN_OR_RETURN(const auto found, supervisor_.GetPipeline(name));
    supervisor::v1::ListRunsRequest request;
    request.set_pipeline_name(found.name());
    request.set_without_trials(true);
    ASSIGN_OR_RETURN(const auto listed, supervisor_.FindRuns(request));
    model_store::v1::ListModelsRequest newest;
    for (const supervisor::v1::Run& run : listed.runs()) newest.add_run_ids(run.run_id());
    newest.set_state(model_store::v1::MODEL_STATE_KEPT);
    newest.set_order(model_store::v1::MODEL_ORDER_RUN);
    newest.set_descending(true);
    newest.set_limit(1);
    if (newest.run_ids_size() > 0) {
      ASSIGN_OR_RETURN(const auto models, models_.FindModels(newest));
      if (models.models_size() > 0) return ModelId{models.models(0).model_id()};
    }
    const int64_t num_trials = found.num_runs() - listed.runs_size();
    return FailedPrecondition(
        "pipeline {} has no model in use: none of its {} runs has kept one{}; run the pipeline, or "
        "name a model: RUN/TRIGGER",
        name, listed.runs_size(),
        num_trials > 0 ? fmt::format(", and {} with --set are trials", num_trials) : "");
  }

 private:
  supervisor::SupervisorClient supervisor_;
  model_store::ModelStoreClient models_;
};

}  // namespace

absl::StatusOr<EvaluatorService::ModelInUse> ModelsInUse(const rpc::ServiceContext& context) {
  if (!context.cluster.endpoints.contains("supervisor")) {
    return [](const v1::PredictionModel::PipelineName&) -> absl::StatusOr<ModelId> {
      return FailedPrecondition(
          "cluster.endpoints of this evaluator names no supervisor to look up the pipeline; give "
          "the number of a model");
    };
  }
  ASSIGN_OR_RETURN(rpc::Peer supervisor, context.PeerOf("supervisor"));
  ASSIGN_OR_RETURN(rpc::Peer model_store, context.PeerOf("model_store"));
  auto models = std::make_shared<PipelineModels>(std::move(supervisor), std::move(model_store));
  return [models](const v1::PredictionModel::PipelineName& pipeline) {
    return models->Find(pipeline);
  };
}

}  // namespace tidemill::evaluator
