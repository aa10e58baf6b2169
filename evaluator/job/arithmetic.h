// How a job computes. This interface hides torch.
#pragma once

#include <functional>

#include "evaluator/job/model_cache.h"
#include "models/network_sandbox.h"

namespace tidemill::evaluator {

struct Arithmetic {
  PredictorFactory make_predictor;
  // Called once, before anything is computed.
  std::function<void(int num_threads)> set_threads;
  // Called once, before the first network that is a user's file is made: what the job gives up.
  std::function<absl::Status(const models::SandboxedJob&)> enter_sandbox;
};

}  // namespace tidemill::evaluator
