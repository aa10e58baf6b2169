// Where the samples of evaluations were prepared: by preprocessing workers or by the evaluator.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns a line for each evaluation of a run with workers, after two blanks; in a live run, of the
// last time that it was measured. Needs the events of the run.
std::string DescribePreparedSamples(const supervisor::v1::GetRunResponse& run);

// Returns the same as a list. Empty for a run without workers.
nlohmann::ordered_json PreparedSamplesToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
