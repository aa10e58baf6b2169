// The value of a run's models, by their answers: how much better they are than something else on
// the samples that both have, and whether chance explains it; which columns matter; curves; and
// which columns drifted.
#pragma once

#include <string>
#include <string_view>

#include "nlohmann/json_fwd.hpp"

#include "cli/terminal/view.h"
#include "tidemill/evaluator/v1/outcomes.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

using evaluator::v1::OutcomeDifference;

// How values of a measure are shown.
struct MeasureStyle {
  bool lower_is_better = false;
  // Whether differences are points of a hundred.
  bool is_share = false;
  std::string unit = {};
};

// Whether the models in use are better than the other; false without a difference.
bool IsBetter(const OutcomeDifference& difference, const MeasureStyle& style);

// Whether the interval does not hold 0. False if there is none.
bool IsBeyondChance(const OutcomeDifference& difference);

// Returns the difference with its interval, above 0 where the models in use are better: "+6.7
// points
// [+4.1, +9.2]". For errors, it is the share of the other's error: "+26 % [+17 %, +34 %]". Without
// the difference, empty.
std::string ShowDifference(const OutcomeDifference& difference, const MeasureStyle& style);

// "over the 1,161 samples that both have", or "over 40,210 of the samples that both have".
std::string OverSamples(const OutcomeDifference& difference);

// Returns a table of all differences of the run, and why some are unknown. Empty without any.
std::string DescribeDifferences(const supervisor::v1::GetRunResponse& run, const View& view);

// [{"evaluation", "dataset", "measure", "than", "models", "other", "difference", "low", "high",
// "samples", "share", "beyond_chance"}]; with "missing" instead of numbers if there is none.
nlohmann::ordered_json DifferencesToJson(
    const google::protobuf::RepeatedPtrField<OutcomeDifference>& differences);

// Returns a table for each evaluation whose columns were measured, the most important column first.
// Empty without any.
std::string DescribeImportances(const supervisor::v1::GetRunResponse& run, const View& view);

// {"evaluation", "dataset", "measure", "trigger", "windows", "samples", "columns": [{"column",
// "intact", "exchanged", "loss", "low", "high", "beyond_chance"}], "columns_left_out", "missing"}.
// `loss` and its bounds are above 0 where the measure gets worse.
nlohmann::ordered_json ImportancesToJson(const supervisor::v1::GetRunResponse& run);

// {"calibration": [...], "roc": [...], "predicted_actual": [...]}, as outcomes.proto has them.
nlohmann::ordered_json FiguresToJson(const supervisor::v1::GetRunResponse& run);

// Returns a list with one object for each policy of drift that looks at columns:
// {"policy", "statistic", "decisions", "drifted", "columns": [{"column", "decisions", "score",
// "threshold", "first_at", "last_at", "triggers"}]}. A decision counts for the column that had
// drifted most, or that completed the share of columns that the policy waits for; `score` is the
// highest, `threshold` is the one that it reached. Columns that drifted more often come first.
// Empty when no policy looks at columns, and when the run does not have its pipeline.
nlohmann::ordered_json DriftedColumnsToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
