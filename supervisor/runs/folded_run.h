// The events of a run, and the state that follows from them.
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
  // The state after the last event.
  RunState state;
};

// Works in the caller's transaction; see runs_table.h. DATA_LOSS when an event does not parse. An
// unknown run has no events.
absl::StatusOr<FoldedRun> FoldRun(pqxx::work& work, RunId run);

}  // namespace tidemill::supervisor
