// How often a policy that looks at samples would fire although nothing has changed.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "supervisor/backtest/backtest.h"
#include "supervisor/backtest/shuffled_history.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// What answers for a history; it lives no longer than the history.
using EvidenceOf = std::function<absl::StatusOr<std::unique_ptr<EvidenceSource>>(ShuffledHistory&)>;
// A policy at the beginning of the stream, answered by a source that outlives it.
using BeginBacktest = std::function<absl::StatusOr<Backtest>(EvidenceSource&)>;

// Triggers beyond the first, which is what a policy has to begin with, by the mean over so many
// shuffles of the history. Fails as the policy and its evidence do.
absl::StatusOr<double> CountFalseAlarms(const History& history, int num_shuffles,
                                        const BeginBacktest& begin, const EvidenceOf& evidence_of);

}  // namespace tidemill::supervisor
