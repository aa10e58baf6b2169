// How a job computes. This interface hides torch.
#pragma once

#include <functional>

#include "evaluator/job/model_cache.h"

namespace tidemill::evaluator {

struct Arithmetic {
  PredictorFactory make_predictor;
  // Called once, before anything is computed.
  std::function<void(int num_threads)> set_threads;
};

}  // namespace tidemill::evaluator
