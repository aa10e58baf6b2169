// Networks that predict.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "evaluator/job/scored_model.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"

namespace tidemill::evaluator {

// A network in evaluation mode on the CPU; no gradients are kept. DATA_LOSS or FAILED_PRECONDITION
// for weights that are not those of such a network.
absl::StatusOr<std::unique_ptr<Predictor>> MakeNetworkPredictor(const models::ModelSpec& spec,
                                                                std::string_view weights,
                                                                models::ClassOutputs class_outputs);

// Sets the threads of torch's arithmetic, once in a process and before any of it.
void SetArithmeticThreads(int num_threads);

}  // namespace tidemill::evaluator
