// Why a decision was taken, for people and for programs.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A few lines that read like an explanation: what happened, why, what each of several policies
// voted, and what would have turned the answer. `request` is what was asked.
std::string DescribeDecision(const supervisor::v1::GetDecisionResponse& response,
                             const supervisor::v1::GetDecisionRequest& request);

// Everything that was recorded.
nlohmann::ordered_json DecisionToJson(const supervisor::v1::GetDecisionResponse& response);

}  // namespace tidemill::cli
