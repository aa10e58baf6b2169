// The factors of the learning rates of a training: its schedules, and what has come of the losses
// that they watch.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/training/module_optimizer.h"

namespace tidemill::trainer_server {

// What a schedule has seen of losses. It is a part of checkpoints.
struct PlateauState {
  double best = std::numeric_limits<double>::infinity();
  double factor = 1;
  // The looks since the best one, and those that do not count yet.
  int64_t num_worse = 0;
  int64_t num_resting = 0;
  // The sum over the steps since the last look.
  double loss_sum = 0;
  int64_t num_samples = 0;

  friend bool operator==(const PlateauState&, const PlateauState&) = default;
};

// One state for each optimiser of a training, in their order; see TrainingSpec::Optimizers().
using PlateauStates = std::vector<PlateauState>;
using ModuleOptimizers = std::span<const models::ModuleOptimizer>;

// Returns the factor of each optimiser for step `step` of `total`.
std::vector<double> LearningRateFactors(ModuleOptimizers optimizers, const PlateauStates& states,
                                        int64_t step, int64_t total);

// Adds the mean loss of samples that were trained on.
void NoteLoss(ModuleOptimizers optimizers, double loss, int64_t num_samples, PlateauStates& states);

// Schedules that watch the loss of the training look at it, where their time has come: after step
// number `num_steps`, and at the end of an epoch.
void LookAfterStep(ModuleOptimizers optimizers, int64_t num_steps, PlateauStates& states);
void LookAfterEpoch(ModuleOptimizers optimizers, PlateauStates& states);

// Those that watch the loss on held-out samples look at it.
void LookAtHeldOut(ModuleOptimizers optimizers, double loss, PlateauStates& states);

}  // namespace tidemill::trainer_server
