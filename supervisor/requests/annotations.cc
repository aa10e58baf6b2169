#include "supervisor/requests/annotations.h"

#include "supervisor/runs/run_annotations.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

absl::StatusOr<v1::Run> Annotations::Change(const v1::AnnotateRunRequest& request) {
  RunAnnotations annotations{
      .added_tags = {request.added_tags().begin(), request.added_tags().end()},
      .removed_tags = {request.removed_tags().begin(), request.removed_tags().end()}};
  if (request.has_note()) annotations.note = request.note();
  RETURN_IF_ERROR(CheckAnnotations(annotations));
  const RunId run{request.run_id()};
  v1::Run changed;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    if (!LockRun(work, run)) return NotFound("run {} is unknown", run.value);
    RETURN_IF_ERROR(AnnotateRun(work, run, annotations));
    changed = FindRun(work, run)->summary;
    return absl::OkStatus();
  }));
  return changed;
}

}  // namespace tidemill::supervisor
