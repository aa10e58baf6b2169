// Scores of samples, computed on tensors from what a network says of them.
#pragma once

#include "torch/torch.h"

#include "models/loss.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// One number for each sample, [n] float32 on the answers' device. What is not finite stays so.
// Probabilities are what the loss takes the outputs for (models/spec/class_outputs.h); their scores
// need a loss of classes. Throws c10::Error: call it in Guard().
torch::Tensor Score(ScoreOf what, const models::LossSpec& loss, const Answers& answers);

}  // namespace tidemill::trainer_server
