// The device on which this process computes, for libtorch.
#pragma once

#include <cstdint>
#include <optional>

#include "torch/torch.h"

#include "base/status.h"
#include "devices/owned_device.h"

namespace tidemill::models {

// Returns the GPU of the process, or the processors. FAILED_PRECONDITION when libtorch does not
// find the GPU.
absl::StatusOr<torch::Device> TorchDeviceOf(const devices::OwnedDevice& device);

// Returns the most bytes that tensors of this process had on the device at once; std::nullopt on
// processors, and with libtorch before 2.9, which does not say.
std::optional<int64_t> PeakBytesOf(const torch::Device& device);

}  // namespace tidemill::models
