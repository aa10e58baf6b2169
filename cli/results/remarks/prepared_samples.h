// Where the samples of evaluations were prepared: by preprocessing workers, by the evaluator, or
// before.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns a line for each evaluation that had workers or found prepared samples, after two blanks;
// in a live run, of the last time that it was measured. Needs the events of the run.
std::string DescribePreparedSamples(const supervisor::v1::GetRunResponse& run);

// Returns the same as a list, of all evaluations of a run with workers or with `training.cache`.
nlohmann::ordered_json PreparedSamplesToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
