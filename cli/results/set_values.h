// The values that `run --set` has put in place of those of the pipeline file.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// "training.optimizer.lr = 1e-3 (was 0.01)", in the order of the command line.
std::vector<std::string> SetValueTexts(const supervisor::v1::GetRunResponse& run);

// "set: training.optimizer.lr = 1e-3 (was 0.01)", a line for each.
std::string DescribeSetValues(const supervisor::v1::GetRunResponse& run);

// Says of a trial that its models do not answer for the pipeline. Empty for other runs.
std::string DescribeTrial(const supervisor::v1::Run& run);

// [{"key", "value", "was", "was_default"}]. "was" is null when nothing was replaced.
nlohmann::ordered_json SetValuesToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
