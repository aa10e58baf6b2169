// What the page of a report says of selections.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/run_record.h"

namespace tidemill::cli {

// {"classes": [name, ...], "class_numbers": [number or null, ...], "total": number of sets, "rows":
// [{"trigger", "policy", "candidates", "samples", "shared", "previous", "fresh", "effective",
// "seconds", "remarks", "shares": [...]}]}. Classes are the most frequent of all sets; behind more
// than nine comes "others".
nlohmann::ordered_json SelectionsOf(const RunRecord& record);

}  // namespace tidemill::cli
