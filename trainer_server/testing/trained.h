// What a training in memory has given, for tests that compare trainings.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "torch/torch.h"

#include "models/torch/safetensors.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server::testing {

struct Trained {
  std::map<std::string, torch::Tensor> weights;
  TrainingCounters counters;
  std::vector<LossCurve::Point> curve;
};

inline std::map<std::string, torch::Tensor> Parse(const std::string& weights) {
  std::map<std::string, torch::Tensor> tensors;
  const auto file = models::ReadTensorFile(weights);
  for (const auto& [name, bytes] : file->tensors) tensors[name] = *models::TensorOf(bytes);
  return tensors;
}

// Trains on a source in memory. Fails the test when that fails.
inline Trained Train(const TrainingSetup& setup, MemorySource::Options options) {
  options.batch_size = setup.training.batch_size;
  options.epochs = setup.training.epochs;
  TrainingLoop loop(setup);
  MemorySource source(std::move(options));
  const absl::Status status = loop.Run(source, Nothing);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const auto weights = loop.Weights();
  EXPECT_TRUE(weights.ok()) << weights.status().ToString();
  return {Parse(*weights), loop.counters(), loop.loss_curve().Points()};
}

// Returns the length of the difference of all weights.
inline double Distance(const Trained& a, const Trained& b) {
  double squares = 0;
  for (const auto& [name, tensor] : a.weights) {
    squares += (tensor - b.weights.at(name)).to(torch::kFloat64).square().sum().item<double>();
  }
  return std::sqrt(squares);
}

}  // namespace tidemill::trainer_server::testing
