// The offer of a member of the pool.
#pragma once

#include <optional>
#include <string>

#include "devices/devices.h"
#include "tidemill/supervisor/v1/pool.pb.h"

namespace tidemill::supervisor {

// Adds slots of a device to an offer: "fit", "cpu".
void AddSlots(const std::string& device, int count, v1::MemberOffer& offer);

// Adds a slot for each GPU, at most for the first `most`.
void AddGpus(const devices::Devices& devices, std::optional<int> most, v1::MemberOffer& offer);

}  // namespace tidemill::supervisor
