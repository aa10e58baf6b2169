// Predictors that are networks.
#pragma once

#include <memory>
#include <string_view>

#include "torch/torch.h"

#include "base/status.h"
#include "devices/owned_device.h"
#include "evaluator/job/arithmetic.h"
#include "evaluator/windows/scored_model.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"

namespace tidemill::evaluator {

// Returns what an evaluation job computes with on its device. FAILED_PRECONDITION when libtorch
// does not find the device.
absl::StatusOr<Arithmetic> ArithmeticOfNetworks(const devices::OwnedDevice& device);

// Creates a network in evaluation mode on a device, without gradients. Its answers are in the
// memory of the processors. DATA_LOSS or FAILED_PRECONDITION when the weights do not belong to such
// a network. RESOURCE_EXHAUSTED when it does not fit into the memory of the device.
absl::StatusOr<std::unique_ptr<Predictor>> MakeNetworkPredictor(const models::ModelSpec& spec,
                                                                std::string_view weights,
                                                                models::ClassOutputs class_outputs,
                                                                const torch::Device& device);

// Sets the number of threads for torch's arithmetic. Call it once in a process, before any
// arithmetic.
void SetArithmeticThreads(int num_threads);

}  // namespace tidemill::evaluator
