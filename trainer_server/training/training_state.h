// What a training knows besides its network.
#pragma once

#include <vector>

#include "torch/torch.h"

#include "trainer_server/training/early_stopping.h"
#include "trainer_server/training/loss_curve.h"
#include "trainer_server/training/training_counters.h"

namespace tidemill::trainer_server {

// What those who choose a training's samples want its checkpoints to hold.
struct Companion {
  std::vector<double> numbers = {};
  // By ordinal, the loss that the sample had when it was trained on last, in training mode; NaN for
  // one that was not yet. Empty unless TrainingSetup::num_losses says otherwise.
  std::vector<float> losses = {};
};

// All that later steps depend on, but for the network, its optimiser and torch's generators.
struct TrainingState {
  TrainingCounters counters;
  LossCurve curve;
  StoppingState stopping;
  Companion companion;
  // The state of the network after its best epoch, in the order of models::StateOf(); empty before
  // there is one.
  std::vector<torch::Tensor> best;
};

}  // namespace tidemill::trainer_server
