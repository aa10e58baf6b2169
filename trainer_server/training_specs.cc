#include "trainer_server/training_specs.h"

#include "config/config.h"
#include "storage/spec/dataset_spec.h"
#include "transform/graph_spec.h"

namespace tidemill::trainer_server {

absl::StatusOr<TrainingSpecs> ReadSpecs(const v1::StartTrainingRequest& request) {
  TrainingSpecs specs;
  ASSIGN_OR_RETURN(specs.model, config::Read<models::ModelSpec>(request.model(), "model"));
  ASSIGN_OR_RETURN(specs.training,
                   config::ReadKept<models::TrainingSpec>(request.training(), "training"));
  return specs;
}

absl::Status CheckData(const std::string& dataset, const std::string& graph) {
  RETURN_IF_ERROR(config::ReadKept<storage::DatasetSpec>(dataset, "dataset").status());
  return config::ReadKept<transform::GraphSpec>(graph, "graph").status();
}

}  // namespace tidemill::trainer_server
