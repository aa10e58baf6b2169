// What a training is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/batch_source.h"
#include "models/network.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

struct TrainingSetup {
  models::ModelSpec model;
  models::TrainingSpec training;
  int64_t trigger = 0;
  torch::Device device = torch::kCPU;
  // What the graph makes, for a training whose batches do not say: one with buckets.
  models::InputSpecs inputs = {};
  // Weights to start from; absent for a fresh initialisation.
  std::optional<std::string> parent_weights = std::nullopt;
  // Opens one pass over the samples held out; nullptr when none are.
  std::function<absl::StatusOr<std::unique_ptr<loader::BatchSource>>()> held_out = nullptr;
  // Ordinals that there are, for a training that is to remember the last loss of each; 0 for none.
  int64_t num_losses = 0;
  // Is told of samples that alone make a loss useless, and outlives the training; nobody is, if
  // nullptr.
  loader::BadSamples* bad = nullptr;
};

}  // namespace tidemill::trainer_server
