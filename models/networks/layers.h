// Fully connected layers of networks. All functions throw c10::Error: call them in Guard().
#pragma once

#include <cstdint>
#include <vector>

#include "models/network.h"

namespace tidemill::models {

// Makes layers of ReLU units with dropout between them, and a linear layer unless `outputs` is 0.
// Their names are `hidden1`, `hidden2` ... and `output`.
torch::nn::Sequential MakeLayers(int64_t width, const std::vector<int64_t>& hidden, double dropout,
                                 int64_t outputs);

// ForwardToLast() returns the input of the last of such layers for the rows `x`. ForwardLast()
// returns its output.
torch::Tensor ForwardToLast(torch::nn::Sequential& layers, torch::Tensor x);
torch::Tensor ForwardLast(torch::nn::Sequential& layers, const torch::Tensor& embedded);

// Makes a network of such layers over rows of numbers.
ModulePtr MakeLayersNetwork(const InputSpecs& inputs, const std::vector<int64_t>& hidden,
                            double dropout, int64_t outputs);

}  // namespace tidemill::models
