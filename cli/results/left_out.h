// What a run's datasets left out of their files, and its samples without a label.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "cli/terminal/view.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whether records were left out that no spec wants left out, or samples were skipped in a training.
bool AnyLost(const supervisor::v1::GetRunResponse& run);

// Lines for people, the first reasons among them; empty where there is nothing to say.
std::string DescribeLeftOut(const supervisor::v1::GetRunResponse& run, const View& view);

// {"records", "of", "files", "unlabelled", "reasons": [{"dataset", "reason", "records", "files",
// "wanted", "first": {"file", "record", "reason"}}]} of all of the run's datasets together. `files`
// were left out as a whole, their records not known; what the spec asks for is `wanted`; a reason
// that is empty stands for those that are not listed.
nlohmann::ordered_json LeftOutToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
