// Predictors that are networks.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "evaluator/job/scored_model.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"

namespace tidemill::evaluator {

// Creates a network in evaluation mode on the CPU, without gradients. DATA_LOSS or
// FAILED_PRECONDITION when the weights do not belong to such a network.
absl::StatusOr<std::unique_ptr<Predictor>> MakeNetworkPredictor(const models::ModelSpec& spec,
                                                                std::string_view weights,
                                                                models::ClassOutputs class_outputs);

// Sets the number of threads for torch's arithmetic. Call it once in a process, before any
// arithmetic.
void SetArithmeticThreads(int num_threads);

}  // namespace tidemill::evaluator
