// Compares runs side by side.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

using Runs = std::vector<supervisor::v1::GetRunResponse>;

// Returns a table with one column per run: state, triggers, samples and seconds by stage. For each
// measure, it has one value each for the active series, the trained series and each baseline, with
// its interval if there is one, and the difference from the first run, with a word where the two
// are over other samples. A dataset with another name in the first run is compared with the one
// that has its part there (matched_datasets.h), and the text says so. Below, it lists the
// differences of the pipelines.
std::string DescribeComparison(const Runs& runs);

// {"runs": [{"run", "pipeline", "state", "triggers", "samples", "stages", "measures": [{"dataset",
// "measure", "series", "mean", "samples", "difference", "same_samples", "low", "high"}],
// "matched_datasets":
// [{"dataset", "with", "part"}]}], "config": [{"key", "values"}]}
nlohmann::ordered_json ComparisonToJson(const Runs& runs);

// The keys at which the resolved pipelines, as canonical YAML, differ: "training.epochs" with the
// value of each run, "-" for a run that has none.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;
};
std::vector<ConfigDifference> DiffConfigs(const std::vector<std::string>& documents);

}  // namespace tidemill::cli
