// The device that the process of a job has for itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "devices/device_lock.h"
#include "tidemill/rpc/v1/device.pb.h"

namespace tidemill::devices {

// Makes the process see its own GPU, as cuda:0, or none, and holds the GPU for as long as it lives.
class OwnedDevice {
 public:
  // Call it before anything asks CUDA, which looks at the environment once. Waits for a process
  // that is being killed, and for one of another service that has the GPU. UNAVAILABLE when that
  // takes longer than a day.
  static absl::StatusOr<OwnedDevice> Take(rpc::v1::JobDevice device);

  // As the server that gave it counts: "cpu", "cuda:1".
  const std::string& name() const { return device_.device(); }
  const rpc::v1::JobDevice& described() const { return device_; }
  // Whether the job computes on a GPU. It does not on one that is only pretended.
  bool is_gpu() const { return !device_.id().empty() && !device_.is_pretended(); }

 private:
  OwnedDevice(rpc::v1::JobDevice device, std::optional<DeviceLock> lock)
      : device_(std::move(device)), lock_(std::move(lock)) {}

  rpc::v1::JobDevice device_;
  std::optional<DeviceLock> lock_;  // Absent on processors.
};

// Whether a job of this device runs in a process that is executed: CUDA does not survive a fork.
inline bool NeedsOwnProgram(const rpc::v1::JobDevice& device) {
  return !device.id().empty() && !device.is_pretended();
}

// The kind by which the time of a device is counted and priced: the name of a GPU, "cuda" where it
// has none; std::nullopt for processors.
inline std::optional<std::string> PricedKindOf(const rpc::v1::JobDevice& device) {
  if (!device.device().starts_with("cuda")) return std::nullopt;
  return device.name().empty() ? "cuda" : device.name();
}

}  // namespace tidemill::devices
