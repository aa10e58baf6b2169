#include "supervisor/runs/folded_run.h"

namespace tidemill::supervisor {

absl::StatusOr<FoldedRun> FoldRun(pqxx::work& work, RunId run) {
  FoldedRun folded;
  ASSIGN_OR_RETURN(folded.events, ReadEvents(work, run));
  for (const EventRow& event : folded.events) folded.state.Apply(event.event);
  return folded;
}

}  // namespace tidemill::supervisor
