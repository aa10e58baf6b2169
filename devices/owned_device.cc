#include "devices/owned_device.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::devices {
namespace {

constexpr std::chrono::hours kLongestWait{24};

}  // namespace

absl::StatusOr<OwnedDevice> OwnedDevice::Take(rpc::v1::JobDevice device) {
  std::optional<DeviceLock> lock;
  if (!device.id().empty()) {
    if (DeviceLock::IsHeld(device.id())) {
      log::Info("waiting for a device that another process has", {{"device", device.device()}});
    }
    ASSIGN_OR_RETURN(lock, DeviceLock::Take(device.id(), kLongestWait));
  }
  const bool is_seen = !device.id().empty() && !device.is_pretended();
  setenv("CUDA_VISIBLE_DEVICES", is_seen ? device.id().c_str() : "", /*overwrite=*/1);
  // cuBLAS gives the same bits each time only with workspaces of fixed sizes.
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  return OwnedDevice(std::move(device), std::move(lock));
}

}  // namespace tidemill::devices
