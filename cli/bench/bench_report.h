// The results of the suite, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "cli/bench/checks.h"
#include "cli/bench/comparison_run.h"
#include "cli/bench/results_file.h"
#include "cli/bench/suite.h"
#include "results/regret.h"

namespace tidemill::cli {

// One variant of a comparison, over seeds.
struct VariantResult {
  std::string comparison;
  std::string variant;
  std::vector<ComparisonRun> runs = {};
};

// Everything that was measured for an entry.
struct EntryReport {
  std::string entry;
  std::string domain;
  std::vector<CheckOutcome> checks = {};
  std::optional<results::RegretTable> regret = std::nullopt;
  std::vector<VariantResult> variants = {};
  std::vector<std::string> failed = {};    // Policies that could not be tried, with the reason.
  std::vector<std::string> problems = {};  // Values that could not be computed.
  std::vector<std::string> unlike = {};    // Compared runs that differ in more than the variant.
};

// Reads the results of an entry.
EntryReport ReportOf(const SuiteEntry& entry, const ResultsFile& results);

std::string DescribeReport(const EntryReport& report);
nlohmann::ordered_json ReportToJson(const EntryReport& report);

// Whether every check that has a value holds, and compared runs are alike.
bool AllHold(const EntryReport& report);

}  // namespace tidemill::cli
