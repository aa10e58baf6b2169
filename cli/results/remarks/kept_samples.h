// Tells what a training decided about keeping prepared samples, and what came of it.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/rpc/v1/training_result.pb.h"

namespace tidemill::cli {

// "prepared samples kept after op 2 (resize): 64,000 found, prepared 5.1x as fast
// (predicted 5.3x)". Empty when nothing was decided.
std::string DescribeKeptSamples(const rpc::v1::PreparedSummary& prepared);

// Returns a table of the points that were compared, with what was expected of each. Empty when none
// were.
std::string DescribeComparedPoints(const rpc::v1::PreparedSummary& prepared);

// Returns the op after which rows are kept or null, the reason, the gain that was measured, counts,
// and the points with what was expected of them.
nlohmann::ordered_json KeptSamplesToJson(const rpc::v1::PreparedSummary& prepared);

}  // namespace tidemill::cli
