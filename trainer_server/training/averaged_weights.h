// The average of a network's weights over the steps of its training.
#pragma once

#include <cstdint>
#include <vector>

#include "torch/torch.h"

#include "models/network.h"
#include "models/training/average_spec.h"

namespace tidemill::trainer_server {

// The average of each array of a network, in the order of models::StateOf(). Empty before the first
// step.
using AveragedWeights = std::vector<torch::Tensor>;

// Adds the weights after step `num_steps`, from 1, to the average. Throws what libtorch throws.
void AddToAverage(const models::Average& spec, const models::Network& network, int64_t num_steps,
                  AveragedWeights& average);

// While it lives, the network has its averaged weights. Does nothing when they are empty. Both must
// outlive this object. Throws what libtorch throws.
class WithAveragedWeights {
 public:
  WithAveragedWeights(const models::Network& network, AveragedWeights& average);
  ~WithAveragedWeights() { Exchange(); }
  WithAveragedWeights(const WithAveragedWeights&) = delete;
  WithAveragedWeights& operator=(const WithAveragedWeights&) = delete;

 private:
  void Exchange();

  const models::Network& network_;
  AveragedWeights& average_;
};

}  // namespace tidemill::trainer_server
