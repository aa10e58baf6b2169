// The selections on the page of a report.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/selections/run_record.h"

namespace tidemill::cli {

// Returns {"classes": [name, ...], "class_numbers": [number or null, ...], "total": number of sets,
// "rows": [{"trigger", "policy", "candidates", "samples", "shared", "previous", "fresh",
// "effective", "seconds", "remarks", "shares": [...]}]}. The classes are the most frequent ones of
// all sets. When there are more than nine, "others" follows.
nlohmann::ordered_json SelectionsOf(const RunRecord& record);

}  // namespace tidemill::cli
