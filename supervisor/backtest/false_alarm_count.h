// Counts how often a policy that reads samples would fire although nothing has changed.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "supervisor/backtest/backtest.h"
#include "supervisor/backtest/shuffled_history.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// Makes the source of evidence for a history. It lives at most as long as the history.
using EvidenceOf = std::function<absl::StatusOr<std::unique_ptr<EvidenceSource>>(ShuffledHistory&)>;
// Makes a policy at the beginning of the stream. Its evidence comes from a source that outlives it.
using BeginBacktest = std::function<absl::StatusOr<Backtest>(EvidenceSource&)>;

// Returns the mean number of triggers over `num_shuffles` shuffles of the history. The first
// trigger of each is not counted, because every policy begins with it. Returns the errors of the
// policy and its evidence.
absl::StatusOr<double> CountFalseAlarms(const History& history, int num_shuffles,
                                        const BeginBacktest& begin, const EvidenceOf& evidence_of);

}  // namespace tidemill::supervisor
