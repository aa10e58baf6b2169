// Pipelines and runs by the names that callers give.
#include "base/names.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/supervisor.h"

namespace tidemill::supervisor {
namespace {

absl::StatusOr<PipelineName> Checked(const std::string& name_space, const std::string& name) {
  PipelineName checked;
  ASSIGN_OR_RETURN(checked.name_space, CheckedNamespace(name_space));
  RETURN_IF_ERROR(CheckName("pipeline", name));
  checked.name = name;
  return checked;
}

}  // namespace

absl::StatusOr<std::vector<v1::Pipeline>> Supervisor::ListPipelines(const std::string& name_space) {
  ASSIGN_OR_RETURN(const std::string space, CheckedNamespace(name_space));
  std::vector<v1::Pipeline> pipelines;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    pipelines = supervisor::ListPipelines(work, space);
    return absl::OkStatus();
  }));
  return pipelines;
}

absl::StatusOr<v1::Pipeline> Supervisor::GetPipeline(const std::string& name_space,
                                                     const std::string& name) {
  ASSIGN_OR_RETURN(const PipelineName full, Checked(name_space, name));
  std::optional<v1::Pipeline> pipeline;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    pipeline = FindPipeline(work, full);
    return absl::OkStatus();
  }));
  if (!pipeline) return NotFound("there is no pipeline {}", name);
  return *std::move(pipeline);
}

absl::StatusOr<bool> Supervisor::DeletePipeline(const std::string& name_space,
                                                const std::string& name) {
  ASSIGN_OR_RETURN(const PipelineName full, Checked(name_space, name));
  const auto pipeline = GetPipeline(name_space, name);
  if (absl::IsNotFound(pipeline.status())) return false;
  RETURN_IF_ERROR(pipeline.status());
  ASSIGN_OR_RETURN(const auto runs, ListRuns(name_space, name));
  for (const v1::Run& run : runs) RETURN_IF_ERROR(DeleteRun({run.run_id()}).status());
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    supervisor::DeletePipeline(work, full);
    return absl::OkStatus();
  }));
  RetireFiles();
  return true;
}

absl::StatusOr<std::vector<v1::Run>> Supervisor::ListRuns(const std::string& name_space,
                                                          const std::string& pipeline) {
  PipelineName name;
  ASSIGN_OR_RETURN(name.name_space, CheckedNamespace(name_space));
  if (!pipeline.empty()) RETURN_IF_ERROR(CheckName("pipeline", pipeline));
  name.name = pipeline;
  std::vector<v1::Run> runs;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    runs.clear();
    for (RunRow& row : supervisor::ListRuns(work, name)) runs.push_back(std::move(row.summary));
    return absl::OkStatus();
  }));
  return runs;
}

}  // namespace tidemill::supervisor
