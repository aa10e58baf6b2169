// The specs of a training, which its server reads once, where the request comes in.
#pragma once

#include <string>

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

// INVALID_ARGUMENT when the spec of the dataset or the graph does not decode.
absl::Status CheckData(const std::string& dataset, const std::string& graph);

}  // namespace tidemill::trainer_server
