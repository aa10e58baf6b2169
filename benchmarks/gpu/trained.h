// One training of made images, and its figures.
#pragma once

#include <optional>
#include <string>

#include "torch/torch.h"

#include "base/status.h"
#include "benchmarks/gpu/made_batches.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"

namespace tidemill::gpu {

struct Trained {
  std::string weights;  // A safetensors file.
  double loss = 0;
  // The share of the samples of the first batches that the network gets right afterwards.
  double accuracy = 0;
  double seconds = 0;
  int64_t samples = 0;
  double wait_seconds = 0;
  // Absent on processors.
  std::optional<double> idle_seconds = std::nullopt;
  double copy_seconds = 0;

  double rate() const { return static_cast<double>(samples) / seconds; }
};

// Trains a network on a device. The spec's epochs and batch size are those of the images. Returns
// the errors of TrainingLoop::Run().
absl::StatusOr<Trained> Train(const models::ModelSpec& model, models::TrainingSpec training,
                              Images images, const torch::Device& device);

// The largest difference of two weights, over the largest weight; both are files as in Trained.
absl::StatusOr<double> DifferenceOf(const std::string& a, const std::string& b);

}  // namespace tidemill::gpu
