// A drift policy that asks for a share of columns, `drifted_share`.
//
// Observed numbers: "compared_columns", and "wanted_columns", how many of them must have drifted.
#pragma once

#include <string>

#include "supervisor/statistics/drift_statistic.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// Makes the score that of the share. Observes how many columns that takes.
void TakeShare(double share, statistics::DriftScore& score, Observed& observed);

// Says of the score in which column it is, as the end of a sentence.
std::string ExplainColumn(const std::string& column, const Observed& observed);

}  // namespace tidemill::supervisor
