// The run as tables for spreadsheets. The columns are in docs/formats/run_directory.md.
#pragma once

#include <string>
#include <vector>

#include "cli/results/result_tables.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// One line per point: losses, the cost of triggers, measures in use.
std::string MetricsCsv(const supervisor::v1::GetRunResponse& run);

// One line per trigger.
std::string TriggersCsv(const supervisor::v1::GetRunResponse& run);

// One line per model, window, measure and slice.
std::string MatrixCsv(const supervisor::v1::GetRunResponse& run);

// Returns the matrices as one JSON array.
std::string MatrixJson(const std::vector<ResultTable>& tables);

}  // namespace tidemill::cli
