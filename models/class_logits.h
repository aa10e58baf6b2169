// The one place where outputs of a network become logits of classes.
#pragma once

#include "torch/torch.h"

#include "models/spec/class_outputs.h"

namespace tidemill::models {

// [n, classes] of outputs [n, k]: the softmax over a row is the probability of each class. Throws
// c10::Error: call it in Guard().
torch::Tensor ClassLogits(const torch::Tensor& outputs, ClassOutputs kind);

}  // namespace tidemill::models
