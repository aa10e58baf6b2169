// Compares runs side by side.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/evaluator/v1/outcomes.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

using Runs = std::vector<supervisor::v1::GetRunResponse>;

// For each run, how its models in use differ from those of the first run, sample by sample. The
// entry of the first run is empty.
using PairedRuns = std::vector<evaluator::v1::CompareRunsResponse>;

// Returns a table with one column per run: state, triggers, samples and seconds by stage. For each
// measure, it has one value each for the active series, the trained series and each baseline, with
// its interval if there is one, and the difference from the first run, with a word where the two
// are over other samples. Below an active series, it has the difference on the samples that both
// runs have, with its interval, and whether it may be chance. A dataset with another name in the
// first run is compared with the one that has its part there (matched_datasets.h), and the text
// says so. Below, it lists the differences of the pipelines.
std::string DescribeComparison(const Runs& runs, const PairedRuns& paired);

// {"runs": [{"run", "pipeline", "state", "triggers", "samples", "stages", "measures": [{"dataset",
// "measure", "series", "mean", "samples", "difference", "same_samples", "low", "high"}],
// "paired": as "differences" of a run, "matched_datasets":
// [{"dataset", "with", "part"}]}], "config": [{"key", "values"}]}
nlohmann::ordered_json ComparisonToJson(const Runs& runs, const PairedRuns& paired);

// The keys at which the resolved pipelines, as canonical YAML, differ: "training.epochs" with the
// value of each run, "-" for a run that has none.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;
};
std::vector<ConfigDifference> DiffConfigs(const std::vector<std::string>& documents);

}  // namespace tidemill::cli
