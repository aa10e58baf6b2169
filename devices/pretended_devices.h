// GPUs that are only pretended.
#pragma once

#include <string_view>

#include "devices/devices.h"

namespace tidemill::devices {

// Devices of "4x80GiB", each of which is empty and idle. "4x80GiB@name" are those of a machine of
// that name: jobs on devices of other names do not exclude one another. "0x1GiB" means no device: a
// machine with GPUs pretends to have none. INVALID_ARGUMENT for another text.
absl::StatusOr<std::unique_ptr<Devices>> PretendDevices(std::string_view text);

}  // namespace tidemill::devices
