// Series as networks compute with them: features at places in time. All throw c10::Error: call them
// in Guard().
#pragma once

#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

int64_t FeaturesOf(const InputSpecs& inputs);

// [n, history, features]; a history of single numbers has one feature.
torch::Tensor SeriesOf(const Inputs& inputs);

// The features of the last row.
torch::Tensor LatestOf(const Inputs& inputs);

// A layer that gives zeros until it has learned something else.
torch::nn::Linear ZeroLayer(int64_t in, int64_t out);

}  // namespace tidemill::models
