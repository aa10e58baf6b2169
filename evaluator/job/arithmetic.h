// The arithmetic of a job on its device. This interface hides torch.
#pragma once

#include <functional>

#include "base/status.h"
#include "devices/owned_device.h"
#include "evaluator/windows/model_cache.h"
#include "models/network_sandbox.h"

namespace tidemill::evaluator {

struct Arithmetic {
  PredictorFactory make_predictor;
  // Called once, before anything is computed.
  std::function<void(int num_threads)> set_threads;
  // Called once, before the first network from a user's file is made: drops rights of the job.
  std::function<absl::Status(const models::SandboxedJob&)> enter_sandbox;
};

// Returns the arithmetic of the device that the process of a job has.
using ArithmeticOn = std::function<absl::StatusOr<Arithmetic>(const devices::OwnedDevice& device)>;

}  // namespace tidemill::evaluator
