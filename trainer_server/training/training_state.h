// The state of a training, besides its network.
#pragma once

#include <vector>

#include "torch/torch.h"

#include "trainer_server/training/averaged_weights.h"
#include "trainer_server/training/loss_curve.h"
#include "trainer_server/training/pace/early_stopping.h"
#include "trainer_server/training/pace/learning_rates.h"
#include "trainer_server/training/pace/loss_scale.h"
#include "trainer_server/training/training_counters.h"

namespace tidemill::trainer_server {

// The data that the choosers of a training's samples store in its checkpoints.
struct Companion {
  std::vector<double> numbers = {};
  // For each ordinal, the sample's loss when it was last trained on, in training mode; NaN before
  // that. Empty unless TrainingSetup::num_losses asks for it.
  std::vector<float> losses = {};
};

// Everything that later steps depend on, except the network, its optimiser and torch's generators.
struct TrainingState {
  TrainingCounters counters;
  LossCurve curve;
  StoppingState stopping;
  Companion companion;
  LossScale loss_scale;  // For trainings in float16.
  PlateauStates plateaus;
  AveragedWeights average;  // For trainings with training.average.
  // The state of the network after its best epoch, in the order of models::StateOf(). Empty before
  // there is one.
  std::vector<torch::Tensor> best;
};

}  // namespace tidemill::trainer_server
