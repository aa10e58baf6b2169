// The page of a sweep.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::cli {

// Returns one self-contained HTML file: the value of each setting with its interval, its curve over
// time, and the table. `sweep` is the JSON that `tidemill sweep --json` prints.
std::string SweepPage(const nlohmann::ordered_json& sweep);

}  // namespace tidemill::cli
