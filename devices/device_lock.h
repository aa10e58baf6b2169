// A device that belongs to one process.
#pragma once

#include <chrono>
#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::devices {

// Holds a device of this machine against every other process that asks for it in this way,
// whichever service or stack it belongs to. The kernel frees the device when its process ends,
// however it ends. It is an abstract UNIX socket, so that no file is left behind; containers with
// networks of their own do not see one another's.
class DeviceLock {
 public:
  // Waits until no other process holds the device. UNAVAILABLE when one still does after
  // `longest_wait`.
  static absl::StatusOr<DeviceLock> Take(const std::string& id,
                                         std::chrono::milliseconds longest_wait);
  // Whether a process holds the device at this moment.
  static bool IsHeld(const std::string& id);

 private:
  explicit DeviceLock(Descriptor socket) : socket_(std::move(socket)) {}

  Descriptor socket_;
};

}  // namespace tidemill::devices
