#include "models/training/optimizers/adam.h"

#include "models/optimizers/moments.h"

namespace tidemill::models {

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Adam& spec) {
  namespace optim = torch::optim;
  return std::make_unique<
      MomentsModule<Adam, optim::Adam, optim::AdamOptions, optim::AdamParamState>>(spec);
}

}  // namespace tidemill::models
