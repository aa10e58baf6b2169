// Explains a decision, for people and for programs.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns a few lines: the decision, its reason, the votes of several policies, and the change that
// would have reversed it. `request` is the question.
std::string DescribeDecision(const supervisor::v1::GetDecisionResponse& response,
                             const supervisor::v1::GetDecisionRequest& request);

// Returns the whole record.
nlohmann::ordered_json DecisionToJson(const supervisor::v1::GetDecisionResponse& response);

}  // namespace tidemill::cli
