// The parts from which a training is made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/batch_source.h"
#include "models/network.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"
#include "trainer_server/ranks/ranks.h"

namespace tidemill::trainer_server {

struct TrainingSetup {
  models::ModelSpec model;
  models::TrainingSpec training;
  // The number that random draws use: the number of the trigger, or its replacement.
  int64_t trigger = 0;
  torch::Device device = torch::kCPU;
  // The columns that the graph makes. They are for a training with buckets, whose batches do not
  // show them.
  models::InputSpecs inputs = {};
  // The weights to start from. Absent for a fresh initialisation.
  std::optional<std::string> parent_weights = std::nullopt;
  // The safetensors files of training.start_from; nullptr without it. Copies of a setup share them.
  std::shared_ptr<const std::vector<std::string>> start_weights = nullptr;
  // Opens one pass over the held-out samples; nullptr when there are none.
  std::function<absl::StatusOr<std::unique_ptr<loader::BatchSource>>()> held_out = nullptr;
  // The number of ordinals, for a training that must remember the last loss of each; otherwise 0.
  int64_t num_losses = 0;
  // Receives the samples that alone make a loss useless. It must outlive the training, and may be
  // nullptr.
  loader::BadSamples* bad = nullptr;
  // The processes that train together, each with its slice of every batch. It must outlive the
  // training; nullptr for a training in one process.
  Ranks* ranks = nullptr;
};

}  // namespace tidemill::trainer_server
