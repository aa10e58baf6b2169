// The warnings of a training's graph: columns that carry no information, and values that ops do not
// know.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/rpc/v1/training_result.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns the warnings of all triggers, equal ones once, each with the triggers: "op 2 (lookup) did
// not know 40 of 40 values (trigger 1)". The values of an op are added up.
std::vector<std::string> GraphWarningsOf(const supervisor::v1::GetRunResponse& run);

// Adds "fit_warnings" and "unknown": [{"op", "samples", "unknown"}], if there are any.
void AddGraphWarnings(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json);

}  // namespace tidemill::cli
