// Images as networks compute with them. All throw c10::Error: call them in Guard().
#pragma once

#include <array>
#include <cstdint>

#include "models/network.h"

namespace tidemill::models {

// {channels, height, width}.
std::array<int64_t, 3> ImageShape(const InputSpecs& inputs);

// Rows of [height, width] become images of one channel. The channels of a pixel lie side by side:
// pooling then takes a whole vector of them at a time, which makes a forward pass on a CPU up to
// three times as fast. Networks compute in the layout of their input and of their weights.
torch::Tensor ImagesOf(const Inputs& inputs);

// The same for the weights of convolutions; their values and their files stay as they are.
void PutChannelsLast(torch::nn::Module& module);

}  // namespace tidemill::models
