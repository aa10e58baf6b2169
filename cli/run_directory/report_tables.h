// Results as the JSON of a report: matrices with their series, slices and confusion matrices.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/result_tables.h"

namespace tidemill::cli {

// Rounds to eight digits, and large numbers to whole ones. Returns null when the value is not
// finite.
nlohmann::ordered_json Rounded(double value);

// Returns {dataset, measure, lower, share, windows: [[from, to, samples]], active: [[value, low,
// high, trigger] or null, one per window], trained, first: the same, means: {active, last, first,
// same, interval}, matrix: {triggers, columns, values, thinned}}.
nlohmann::ordered_json TableToJson(const ResultTable& table);

// Returns [{dataset, measure, lower, rows: [{slice, samples, value, least, most}]}]: the values of
// the models in use on each slice. `least` and `most` are the extremes of single windows. Without a
// model in use, as on a whole dataset, the last model is used.
nlohmann::ordered_json SlicesOf(const supervisor::v1::GetRunResponse& run);

// Returns [{dataset, classes, counts}] summed over the windows, each with the model in use.
nlohmann::ordered_json ConfusionsOf(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
