// Layers that take all of a row, for networks and parts of them. All throw c10::Error: call them in
// Guard().
#pragma once

#include <cstdint>
#include <vector>

#include "models/network.h"

namespace tidemill::models {

// Layers of ReLU units with dropout between, then, where `outputs` is not 0, a linear one:
// `hidden1`, `hidden2` ... and `output`.
torch::nn::Sequential MakeLayers(int64_t width, const std::vector<int64_t>& hidden, double dropout,
                                 int64_t outputs);

// What the last of such layers is given for the rows `x`, and what it makes of it.
torch::Tensor ForwardToLast(torch::nn::Sequential& layers, torch::Tensor x);
torch::Tensor ForwardLast(torch::nn::Sequential& layers, const torch::Tensor& embedded);

// A network of nothing else, over rows of numbers.
ModulePtr MakeLayersNetwork(const InputSpecs& inputs, const std::vector<int64_t>& hidden,
                            double dropout, int64_t outputs);

}  // namespace tidemill::models
