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

// Returns a convolution without biases that keeps the size, divided by its stride.
torch::nn::Conv2d Convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride);

// Returns the pixels that a convolution of one pixel with that stride reads, for a convolution
// without a stride. libtorch's own (2.13 on a CPU with AVX-512) writes past its memory where
// channels are fewer than 16, rows are of odd number and threads several.
torch::Tensor EachPixel(const torch::Tensor& images, int64_t stride);

// Gives the weights of all convolutions their first values (He et al., "Delving Deep into
// Rectifiers", 2015). They depend on the outgoing connections of a unit where `fan_out` is set.
void InitialiseConvolutions(torch::nn::Module& module, bool fan_out);

}  // namespace tidemill::models
