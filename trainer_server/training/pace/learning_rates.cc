#include "trainer_server/training/pace/learning_rates.h"

#include <algorithm>
#include <cmath>

#include "models/training/schedules/plateau.h"

namespace tidemill::trainer_server {
namespace {

using models::Plateau;

void Look(const Plateau& plateau, double loss, PlateauState& state) {
  if (std::isfinite(loss) && loss < state.best - plateau.min_delta) {
    state.best = loss;
    state.num_worse = 0;
  } else {
    ++state.num_worse;
  }
  if (state.num_resting > 0) {
    --state.num_resting;
    state.num_worse = 0;
  }
  if (state.num_worse < plateau.patience) return;
  state.num_worse = 0;
  state.num_resting = plateau.cooldown;
  state.factor = std::max(plateau.least, state.factor * plateau.factor);
}

void LookAtTraining(const Plateau& plateau, PlateauState& state) {
  if (state.num_samples == 0) return;
  Look(plateau, state.loss_sum / static_cast<double>(state.num_samples), state);
  state.loss_sum = 0;
  state.num_samples = 0;
}

// Calls look(plateau, state) for each optimiser that watches this loss.
void ForEach(ModuleOptimizers optimizers, models::WatchedLoss loss, PlateauStates& states,
             const auto& look) {
  for (size_t i = 0; i < optimizers.size(); ++i) {
    const Plateau* const plateau = (*optimizers[i].schedule)->Watched();
    if (plateau != nullptr && plateau->loss == loss) look(*plateau, states[i]);
  }
}

}  // namespace

std::vector<double> LearningRateFactors(ModuleOptimizers optimizers, const PlateauStates& states,
                                        int64_t step, int64_t total) {
  std::vector<double> factors;
  for (size_t i = 0; i < optimizers.size(); ++i) {
    factors.push_back((*optimizers[i].schedule)->LearningRateFactor(step, total) *
                      states[i].factor);
  }
  return factors;
}

void NoteLoss(ModuleOptimizers optimizers, double loss, int64_t num_samples,
              PlateauStates& states) {
  ForEach(optimizers, models::WatchedLoss::kTraining, states,
          [&](const Plateau& /*plateau*/, PlateauState& state) {
            state.loss_sum += loss * static_cast<double>(num_samples);
            state.num_samples += num_samples;
          });
}

void LookAfterStep(ModuleOptimizers optimizers, int64_t num_steps, PlateauStates& states) {
  ForEach(optimizers, models::WatchedLoss::kTraining, states,
          [&](const Plateau& plateau, PlateauState& state) {
            if (plateau.every && num_steps % *plateau.every == 0) LookAtTraining(plateau, state);
          });
}

void LookAfterEpoch(ModuleOptimizers optimizers, PlateauStates& states) {
  ForEach(optimizers, models::WatchedLoss::kTraining, states,
          [](const Plateau& plateau, PlateauState& state) {
            if (!plateau.every) LookAtTraining(plateau, state);
          });
}

void LookAtHeldOut(ModuleOptimizers optimizers, double loss, PlateauStates& states) {
  ForEach(optimizers, models::WatchedLoss::kHeldOut, states,
          [loss](const Plateau& plateau, PlateauState& state) { Look(plateau, loss, state); });
}

}  // namespace tidemill::trainer_server
