// The data that the page of a report draws, as one JSON object.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/selections/run_record.h"

namespace tidemill::cli {

// The limits of a report, so that a report on any run opens. Longer series and wider matrices are
// thinned evenly, and the object says so.
inline constexpr size_t kMaxPoints = 2'000;      // In a series.
inline constexpr size_t kMaxMatrixLines = 200;   // Rows, and columns.
inline constexpr size_t kMaxListedRows = 2'000;  // Decisions, and triggers.

// Returns the data. Times are milliseconds since the epoch, values have five digits. Members: run,
// datasets, density, triggers, tables, selections, slices, confusions, decisions, compared,
// failures, config, resolved.
nlohmann::ordered_json ReportData(const RunRecord& record);

}  // namespace tidemill::cli
