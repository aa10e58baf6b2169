// Samples of a live run that are ahead of the others.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns a line about them, or "" when there are none.
std::string DescribeAhead(const supervisor::v1::GetRunResponse& run);

// Adds them as "ahead" when there are some.
void AddAhead(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json);

}  // namespace tidemill::cli
