// Where libtorch 1.13 and 2.x differ.
#pragma once

#include "torch/torch.h"
#include "torch/version.h"

namespace tidemill::models {

// The key of a parameter in torch::optim::Optimizer::state().
inline auto OptimizerStateKey(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

}  // namespace tidemill::models
