// The devices of a stack in words.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/devices.pb.h"

namespace tidemill::cli {

// Returns "cpu, 1 of 2 in use; cuda:0, NVIDIA H200, 3.0 of 139.8 GiB used, busy 41 %: the training
// of trigger 2 of run 3": slots on processors in one piece, each GPU in its own. Says why there is
// no GPU, or why the server did not answer.
std::string DescribeSlots(const supervisor::v1::ServerSlots& server);

// [{"server", "error", "why_no_gpu", "slots": [{"device", "id", "name", "memory_bytes",
// "used_bytes",
//   "busy_share", "job", "pretended"}]}]. Values that the driver does not report are null.
nlohmann::ordered_json DevicesToJson(const supervisor::v1::ListDevicesResponse& devices);

}  // namespace tidemill::cli
