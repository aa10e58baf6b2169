// What the page of a report draws, as one JSON object.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "cli/results/run_record.h"

namespace tidemill::cli {

// A report holds no more than this, so that a run of any length opens: longer series and wider
// matrices are thinned evenly, and the object says so.
inline constexpr size_t kMostPoints = 2'000;      // Of a series.
inline constexpr size_t kMostMatrixLines = 200;   // Rows, and columns.
inline constexpr size_t kMostListedRows = 2'000;  // Of decisions and of triggers.

// Times are milliseconds since the epoch, values have five digits. Members: run, datasets, density,
// triggers, tables, selections, slices, confusions, decisions, compared, failures, config,
// resolved.
nlohmann::ordered_json ReportData(const RunRecord& record);

}  // namespace tidemill::cli
