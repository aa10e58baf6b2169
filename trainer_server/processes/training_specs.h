// The specs of a training, which its server reads once, where the request comes in.
#pragma once

#include "base/status.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

struct TrainingSpecs {
  models::ModelSpec model;
  models::TrainingSpec training;
};

// INVALID_ARGUMENT when one of them does not decode.
absl::StatusOr<TrainingSpecs> ReadSpecs(const v1::StartTrainingRequest& request);

}  // namespace tidemill::trainer_server
