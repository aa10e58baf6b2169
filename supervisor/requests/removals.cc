#include "supervisor/requests/removals.h"

#include <limits>
#include <vector>

#include "supervisor/model_use/model_use.h"

namespace tidemill::supervisor {

absl::StatusOr<bool> Removals::DeleteRun(RunId run) {
  const auto row = runs_.Find(run);
  if (absl::IsNotFound(row.status())) return false;
  RETURN_IF_ERROR(row.status());
  if (row->summary.state() == v1::RUN_STATE_RUNNING) {
    return FailedPrecondition("run {} of pipeline {} is running; stop it first", run.value,
                              row->summary.pipeline_name());
  }
  ASSIGN_OR_RETURN(const rpc::v1::Command command, TakeFromConductor(*row));
  RETURN_IF_ERROR(pool_.ReleaseRun(run, "the run is deleted"));
  RETURN_IF_ERROR(downstream_.DeleteRun(command, pool_.TrainerEndpoints()));
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    supervisor::DeleteRun(work, run);
    return absl::OkStatus();
  }));
  files_.Retire();
  conducted_.Forget(run);
  return true;
}

absl::StatusOr<rpc::v1::Command> Removals::TakeFromConductor(const RunRow& row) {
  const RunId run = row.run_id;
  // A run that is refused keeps its conductor.
  RETURN_IF_ERROR(database_.Transact(
      [&](pqxx::work& work) { return CheckNotInUse(work, row.pipeline_id, run); }));
  conducted_.End(run);
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/delete", run.value));
  command.set_run_id(run.value);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t epoch, TakeOver(work, run));
    command.set_run_epoch(epoch);
    RETURN_IF_ERROR(CheckNotInUse(work, row.pipeline_id, run));
    // From here on none of its models can be put to use.
    RetireModels(work, run, std::numeric_limits<int64_t>::max(), {});
    return absl::OkStatus();
  }));
  return command;
}

absl::StatusOr<bool> Removals::DeletePipeline(const std::string& name_space,
                                              const std::string& name) {
  ASSIGN_OR_RETURN(const PipelineName full, CheckedPipelineName(name_space, name));
  const auto pipeline = pipelines_.Get(name_space, name);
  if (absl::IsNotFound(pipeline.status())) return false;
  RETURN_IF_ERROR(pipeline.status());
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    return CheckNotInUse(work, {pipeline->pipeline_id()}, std::nullopt);
  }));
  ASSIGN_OR_RETURN(const std::vector<v1::Run> runs, runs_.List(name_space, name));
  for (const v1::Run& run : runs) RETURN_IF_ERROR(DeleteRun({run.run_id()}).status());
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    supervisor::DeletePipeline(work, full);
    return absl::OkStatus();
  }));
  files_.Retire();
  return true;
}

}  // namespace tidemill::supervisor
