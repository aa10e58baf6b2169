// Compares the results of an entry's runs with its checks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/bench/benchmark_spec.h"
#include "cli/bench/run_figures.h"

namespace tidemill::cli {

struct CheckOutcome {
  std::string name;
  // Absent when a run is missing, or has no such value.
  std::optional<double> value = std::nullopt;
  std::string bound = {};  // ">= 0.75"
  bool holds = false;
  std::string why_not = {};  // Why there is no value.
};

// `runs` are the entry's runs that were made, by name.
std::vector<CheckOutcome> JudgeChecks(const std::vector<BenchmarkCheck>& checks,
                                      const std::map<std::string, RunFigures>& runs);

// Returns the windows of a reading, in order of time. A window that reaches over an end of the span
// is left out. They are views of the run.
results::Rows WindowsRead(const RunFigures& run, const Reading& reading);

// Returns the value over all these windows, from results::Pool().
std::optional<double> PooledValueOf(const results::Rows& windows);

nlohmann::ordered_json ChecksToJson(const std::vector<CheckOutcome>& outcomes);

}  // namespace tidemill::cli
