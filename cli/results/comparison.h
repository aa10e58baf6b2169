// Runs side by side.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

using Runs = std::vector<supervisor::v1::GetRunResponse>;

// A table with a column a run: state, triggers, samples, seconds by stage, of each measure one
// value for the active series, the trained one and each baseline, with its interval, where there is
// one, and the difference to the first run; below it, where the pipelines differ.
std::string DescribeComparison(const Runs& runs);

// {"runs": [{"run", "pipeline", "state", "triggers", "samples", "stages", "measures": [{"dataset",
// "measure", "series", "mean", "samples", "difference", "low", "high"}]}], "config": [{"key",
// "values"}]}
nlohmann::ordered_json ComparisonToJson(const Runs& runs);

// Keys at which the resolved pipelines, as canonical YAML, differ: "training.epochs" with the value
// of each run, "-" where a run has none.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;
};
std::vector<ConfigDifference> DiffConfigs(const std::vector<std::string>& documents);

}  // namespace tidemill::cli
