// Where the jobs of a run ran, and for how long they waited for that.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/pool.pb.h"

namespace tidemill::cli {

// Returns a table. Empty when there is nothing to tell: all jobs ran on one trainer server and one
// evaluator, and none waited for a second. `now` is in microseconds.
std::string DescribePlaces(const supervisor::v1::ListPlacementsResponse& placements, int64_t now);

// [{"stage", "number", "member", "devices", "asked_at", "given_at", "ended_at", "end_reason"}].
nlohmann::ordered_json PlacesToJson(const supervisor::v1::ListPlacementsResponse& placements);

}  // namespace tidemill::cli
