// The results of the suite, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "cli/bench/checks.h"
#include "cli/bench/regret.h"
#include "cli/bench/results_file.h"
#include "cli/bench/suite.h"

namespace tidemill::cli {

// One variant of a comparison, over seeds.
struct VariantResult {
  std::string comparison;
  std::string variant;
  struct Run {
    int64_t seed = 0;
    double value = 0;
    int64_t num_judged = 0;  // The samples on which it was judged.
    int64_t num_trainings = 0;
    int64_t num_trained = 0;  // The samples, over all trainings.
    double training_seconds = 0;
    double selecting_seconds = 0;
    double deciding_seconds = 0;
    double run_seconds = 0;
    double processor_seconds = 0;
    std::optional<double> money = std::nullopt;
    std::string currency = {};
  };
  std::vector<Run> runs = {};
};

// Everything that was measured for an entry.
struct EntryReport {
  std::string entry;
  std::string domain;
  std::vector<CheckOutcome> checks = {};
  std::optional<RegretTable> regret = std::nullopt;
  std::vector<VariantResult> variants = {};
  std::vector<std::string> failed = {};    // Policies that could not be tried, with the reason.
  std::vector<std::string> problems = {};  // Values that could not be computed.
};

// Reads the results of an entry.
EntryReport ReportOf(const SuiteEntry& entry, const ResultsFile& results);

std::string DescribeReport(const EntryReport& report);
nlohmann::ordered_json ReportToJson(const EntryReport& report);

// Whether every check that has a value holds.
bool AllHold(const EntryReport& report);

}  // namespace tidemill::cli
