// `tidemill explain FILE --plan`: a plan of a graph for people and as JSON.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "cli/terminal/view.h"
#include "supervisor/plans/graph_plan.h"

namespace tidemill::cli {

// Returns the ops as written and as they run, what was rewritten and why, and the costs.
std::string DescribePlan(const supervisor::GraphPlan& plan, const View& view);

// Ops are numbered from 1 as in the text. Figures that were not measured are null.
nlohmann::ordered_json PlanToJson(const supervisor::GraphPlan& plan);

}  // namespace tidemill::cli
