// Explains a decision, for people and for programs.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns a few lines: what happened, why, how each of several policies voted, and what would have
// changed the answer. `request` is the question.
std::string DescribeDecision(const supervisor::v1::GetDecisionResponse& response,
                             const supervisor::v1::GetDecisionRequest& request);

// Returns everything that was recorded.
nlohmann::ordered_json DecisionToJson(const supervisor::v1::GetDecisionResponse& response);

}  // namespace tidemill::cli
