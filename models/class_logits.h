// The only place where outputs of a network become logits of classes.
#pragma once

#include "torch/torch.h"

#include "models/spec/class_outputs.h"

namespace tidemill::models {

// Returns [n, classes] for outputs [n, k]. The softmax over a row is the probability of each class.
// Throws c10::Error: call it in Guard().
torch::Tensor ClassLogits(const torch::Tensor& outputs, ClassOutputs kind);

}  // namespace tidemill::models
