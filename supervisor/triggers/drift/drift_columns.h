// A drift policy that asks for a share of columns, `drifted_share`.
//
// Observed numbers: "compared_columns", and "wanted_columns", how many of them must have drifted.
#pragma once

#include <string>

#include "supervisor/statistics/two_samples/drift_statistic.h"
#include "supervisor/triggers/verdict_types.h"

namespace tidemill::supervisor {

// Replaces the score by the score of the share. Observes how many columns that takes.
void TakeShare(double share, statistics::DriftScore& score, Observed& observed);

// Names the column of the score, as the end of a sentence.
std::string ExplainColumn(const std::string& column, const Observed& observed);

}  // namespace tidemill::supervisor
