// Images in the form in which networks compute with them. All functions throw c10::Error: call them
// in Guard().
#pragma once

#include <array>
#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

// Returns {channels, height, width}.
std::array<int64_t, 3> ImageShape(const InputSpecs& inputs);

// Returns images [n, channels, height, width]. Rows of [height, width] become images of one
// channel. In memory, the channels of a pixel are adjacent. Pooling can then take a whole
// vector of them at a time, which makes a forward pass on a CPU up to three times as fast. Networks
// compute in the layout of their input and of their weights.
torch::Tensor ImagesOf(const Inputs& inputs);

// Does the same for the weights of convolutions. Their values and their files do not change.
void PutChannelsLast(torch::nn::Module& module);

}  // namespace tidemill::models
