// Selections, and differences between two selections, as the JSON of `--json`.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// {"run", "trigger", "candidates", "samples", "policy", "shared", "previous", "fresh",
//  "effective_size", "left_out", "objective", "seconds", "remarks", "classes": [{"class", "name",
//  "candidates", "chosen"}], "times": [{"from", "to", "candidates", "chosen"}]}.
// Older sets have no summary: their object ends after "samples".
nlohmann::ordered_json SelectionToJson(const selector::v1::TrainingSet& set,
                                       const std::vector<std::string>& classes);
// {"first", "second", "only_first", "only_second", "both", "forgotten", "classes": [...], "times":
//  [...], "weights": {"first": {...}, "second": {...}, "mean_difference"}}.
nlohmann::ordered_json ComparisonToJson(const selector::v1::CompareTrainingSetsResponse& comparison,
                                        const std::vector<std::string>& classes);
// Returns the effect of downsampling in the training of a trigger.
nlohmann::ordered_json DownsamplingToJson(const rpc::v1::DownsamplingSummary& summary);
}  // namespace tidemill::cli
