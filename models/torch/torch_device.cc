#include "models/torch/torch_device.h"

#include "torch/version.h"

#include "models/torch/guard.h"
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
#include "c10/core/CachingDeviceAllocator.h"
#endif

namespace tidemill::models {

absl::StatusOr<torch::Device> TorchDeviceOf(const devices::OwnedDevice& device) {
  if (!device.is_gpu()) return torch::Device(torch::kCPU);
  return Guard("choosing a device", [&]() -> absl::StatusOr<torch::Device> {
    if (torch::cuda::is_available()) {
      const torch::Device gpu(torch::kCUDA, 0);
      torch::zeros({1}, gpu);  // The driver opens its files now, before there is a sandbox.
      return gpu;
    }
    return FailedPrecondition(
        "the driver lists {} ({}), but libtorch finds no GPU; this version of libtorch may need a "
        "newer driver, see docs/guides/gpus.md",
        device.name(), device.described().name());
  });
}

std::optional<int64_t> PeakBytesOf([[maybe_unused]] const torch::Device& device) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
  if (device.is_cpu()) return std::nullopt;
  const auto peak = Guard("asking for memory", [&]() -> absl::StatusOr<int64_t> {
    c10::DeviceAllocator* const allocator = c10::getDeviceAllocator(device.type());
    if (!allocator->initialized()) return 0;
    return allocator->getDeviceStats(device.index()).allocated_bytes[0].peak;
  });
  return peak.ok() ? std::optional(*peak) : std::nullopt;
#else
  return std::nullopt;
#endif
}

}  // namespace tidemill::models
