#include "models/class_logits.h"

namespace tidemill::models {

torch::Tensor ClassLogits(const torch::Tensor& outputs, ClassOutputs kind) {
  if (kind == ClassOutputs::kSoftmax || outputs.size(1) > 1) return outputs;
  // The output is how much class 1 outweighs class 0.
  return torch::cat({torch::zeros_like(outputs), outputs}, 1);
}

}  // namespace tidemill::models
