#include "trainer_server/processes/training_specs.h"

#include "config/config.h"

namespace tidemill::trainer_server {

absl::StatusOr<TrainingSpecs> ReadSpecs(const v1::StartTrainingRequest& request) {
  TrainingSpecs specs;
  ASSIGN_OR_RETURN(specs.model, config::Read<models::ModelSpec>(request.model(), "model"));
  ASSIGN_OR_RETURN(specs.training,
                   config::ReadKept<models::TrainingSpec>(request.training(), "training"));
  return specs;
}

}  // namespace tidemill::trainer_server
