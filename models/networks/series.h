// Series in the form in which networks compute with them: features at places in time. All functions
// throw c10::Error: call them in Guard().
#pragma once

#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

int64_t FeaturesOf(const InputSpecs& inputs);

// Returns [n, history, features]. A history of single numbers has one feature.
torch::Tensor SeriesOf(const Inputs& inputs);

// Returns the features of the last row.
torch::Tensor LatestOf(const Inputs& inputs);

// Makes a layer that returns zeros until it is trained.
torch::nn::Linear ZeroLayer(int64_t in, int64_t out);

}  // namespace tidemill::models
