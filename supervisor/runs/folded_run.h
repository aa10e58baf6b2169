// A run's events, and what they come to.
#pragma once

#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

struct FoldedRun {
  // In order.
  std::vector<EventRow> events;
  // After the last of them.
  RunState state;
};

// Works inside the caller's transaction, as runs_table.h says. DATA_LOSS for an event that does not
// parse. A run that is unknown has no events.
absl::StatusOr<FoldedRun> FoldRun(pqxx::work& work, RunId run);

}  // namespace tidemill::supervisor
