// The values that a run's policies compared at each decision, for the charts of a report.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns one series for each quantity that a policy of the tree compared and because of which it
// answered no at least once: {policy, quantity, unit, total, points: [[milliseconds, value,
// threshold, whether the run was retrained]]}. Members of an ensemble are named `of[1]: drift`. The
// series that led to the most positive answers come first. A series has at most kMaxPoints points;
// points with a training are kept first.
nlohmann::ordered_json ComparedOf(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
