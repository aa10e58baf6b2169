// Results as a report's JSON: matrices with their series, slices, confusion matrices.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/result_tables.h"

namespace tidemill::cli {

// With five digits; null when it is not finite.
nlohmann::ordered_json Rounded(double value);

// {dataset, measure, lower, share, windows: [[from, to, samples]], active: [[value, low, high,
// trigger] or null, one a window], trained, first: the same, means: {active, last, first, same,
// interval}, matrix: {triggers, columns, values, thinned}}.
nlohmann::ordered_json TableToJson(const ResultTable& table);

// [{dataset, measure, lower, rows: [{slice, samples, value, least, most}]}]: what the models in use
// reached on each slice; `least` and `most` are of single windows. Where no model was in use, as on
// a whole dataset, the last model stands for them.
nlohmann::ordered_json SlicesOf(const supervisor::v1::GetRunResponse& run);

// [{dataset, classes, counts}] summed over the windows, each by the model that was in use.
nlohmann::ordered_json ConfusionsOf(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
