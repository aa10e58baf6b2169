// Computes the scores of samples on tensors, from the network's answers.
#pragma once

#include "torch/torch.h"

#include "models/loss.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// Returns one number per sample, [n] float32 on the device of the answers. A number that is not
// finite is kept. Probabilities are computed as the loss computes them from the outputs
// (models/spec/class_outputs.h). Their scores need a loss for classes. Throws c10::Error: call it
// in Guard().
torch::Tensor Score(ScoreOf what, const models::LossSpec& loss, const Answers& answers);

// Returns the probability of each class, [n, classes] float32, for a loss of classes. Throws
// c10::Error.
torch::Tensor Probabilities(const models::LossSpec& loss, const torch::Tensor& output);

}  // namespace tidemill::trainer_server
