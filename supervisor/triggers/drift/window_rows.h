// The rows of a drift policy's windows that can be compared, and those that are missing.
//
// Observed numbers: "reference_samples" and "current_samples" of the windows; "reference_rows" and
// "current_rows", those of them that can be compared; "missing", those that were left out of both;
// and, for column i if any sample lacks it, "values_before[i]" and "values_since[i]", the samples
// that have it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supervisor/statistics/two_samples/drift_statistic.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/verdict_types.h"

namespace tidemill::supervisor {

// The rows of a table, for statistics. It must outlive them.
statistics::Rows RowsOf(const EvidenceTable& table);

// The rows of one window that can be compared.
struct WindowRows {
  int64_t num_samples = 0;
  // The samples with something to compare: by column, those that have a value; otherwise, those
  // that lack none.
  int64_t num_rows = 0;
  // The samples that have a value, for each column.
  std::vector<int64_t> num_values = {};

  WindowRows(const EvidenceTable& table, bool by_column);
};

// Observes what both windows have. The rows are counted in the column that has most.
void ObserveRows(const WindowRows& reference, const WindowRows& current, Observed& observed);
// Observes the column that drifted most, "column", and its rows.
void ObserveColumn(const statistics::DriftScore& score, const WindowRows& reference,
                   const WindowRows& current, Observed& observed);

enum class Side { kReference, kCurrent };
// Returns the least number of rows that a window must have to be compared.
double LeastRows(const Observed& observed, Side side);
bool CanBeCompared(const Observed& observed);

// Says what was left out, and which columns are missing how often before the training and since, as
// the end of a sentence. Empty when nothing is missing.
std::string ExplainMissing(const std::vector<std::string>& columns, const Observed& observed);

}  // namespace tidemill::supervisor
