// What a run's policies compared, decision by decision, for a report to draw.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// One series for each quantity that a policy of the tree compared and that made it say no at least
// once, as {policy, quantity, unit, total, points: [[milliseconds, value, threshold, whether the
// run was retrained]]}; members of an ensemble as `of[1]: drift`. Those that brought about the most
// yes come first. No more than kMostPoints points a series, among them those of trainings first.
nlohmann::ordered_json ComparedOf(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
