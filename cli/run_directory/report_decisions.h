// What a run's policies compared, decision by decision, for a report to draw.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// One series for each policy of the tree that said no at least once, as {policy, quantity, unit,
// total, points: [[milliseconds, value, threshold, whether the run was retrained]]}; of an ensemble
// its votes come first, its members after it as `of[1]: drift`. No more than kMostPoints points a
// series, among them those of trainings first.
nlohmann::ordered_json ComparedOf(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
