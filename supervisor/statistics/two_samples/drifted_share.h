// Judges drift by the share of columns that have drifted, instead of by one column.
#pragma once

#include <cstdint>

#include "supervisor/statistics/two_samples/drift_statistic.h"

namespace tidemill::supervisor::statistics {

// Returns how many columns were compared.
int64_t NumCompared(const DriftScore& score);

// Returns the smallest number of columns that is at least this share, in (0, 1], of the compared
// columns.
int64_t NumOfShare(const DriftScore& score, double share);

// Returns the score that at least this many columns have reached, and the corrected p-value that as
// many have not exceeded. So a threshold below the score, or a level above the p-value, is met by
// at least `num_columns` columns. There are at least that many that were compared.
DriftScore ReachedBy(int64_t num_columns, DriftScore score);

// Whether a statistic has a p-value for each column.
bool HasColumnPValues(const DriftStatistic& statistic);

}  // namespace tidemill::supervisor::statistics
