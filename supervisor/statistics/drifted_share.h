// Asks not for one column that has drifted, but for a share of them.
#pragma once

#include <cstdint>

#include "supervisor/statistics/drift_statistic.h"

namespace tidemill::supervisor::statistics {

// Returns how many columns were compared.
int64_t NumCompared(const DriftScore& score);

// Returns how many of the columns that were compared are at least that share of them, in (0, 1].
int64_t NumOfShare(const DriftScore& score, double share);

// Returns the score that at least so many columns have reached, and the corrected p-value that as
// many have not exceeded. So a threshold below the score, or a level above the p-value, is met by
// at least `num_columns` columns. There are at least that many that were compared.
DriftScore ReachedBy(int64_t num_columns, DriftScore score);

// Whether the columns of a statistic have p-values of their own.
bool HasColumnPValues(const DriftStatistic& statistic);

}  // namespace tidemill::supervisor::statistics
