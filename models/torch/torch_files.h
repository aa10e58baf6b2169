// The files that libtorch may open when it is first used, for a process that restricts its files.
#pragma once

#include <string>
#include <vector>

namespace tidemill::models {

// Returns the folder of its libraries, and the folder in which the kernel describes processors.
std::vector<std::string> TorchFiles();

// What libtorch and NVIDIA's driver open while they compute on a GPU, besides TorchFiles(): the
// descriptions of the driver, and the libraries of CUDA that came with libtorch.
std::vector<std::string> GpuFiles();

// The devices of NVIDIA's driver, which it opens for reading and writing at any time.
std::vector<std::string> GpuDevices();

}  // namespace tidemill::models
