#include "supervisor/runs/stored_runs.h"

#include <optional>
#include <utility>

#include "base/names.h"

namespace tidemill::supervisor {

absl::StatusOr<RunRow> StoredRuns::Find(RunId run) const {
  std::optional<RunRow> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = FindRun(work, run);
    return absl::OkStatus();
  }));
  if (!row) return NotFound("run {} is unknown", run.value);
  return *std::move(row);
}

absl::StatusOr<FoldedRun> StoredRuns::Fold(RunId run) const {
  FoldedRun folded;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(folded, FoldRun(work, run));
    return absl::OkStatus();
  }));
  return folded;
}

absl::StatusOr<std::vector<v1::Run>> StoredRuns::List(const std::string& name_space,
                                                      const std::string& pipeline) const {
  PipelineName name;
  ASSIGN_OR_RETURN(name.name_space, CheckedNamespace(name_space));
  if (!pipeline.empty()) RETURN_IF_ERROR(CheckName("pipeline", pipeline));
  name.name = pipeline;
  std::vector<v1::Run> runs;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    runs.clear();
    for (RunRow& row : ListRuns(work, name)) runs.push_back(std::move(row.summary));
    return absl::OkStatus();
  }));
  return runs;
}

}  // namespace tidemill::supervisor
