#include "models/training/optimizers/adamw.h"

#include "models/optimizers/moments.h"

namespace tidemill::models {

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const AdamW& spec) {
  namespace optim = torch::optim;
  return std::make_unique<
      MomentsModule<AdamW, optim::AdamW, optim::AdamWOptions, optim::AdamWParamState>>(spec);
}

}  // namespace tidemill::models
