#include "supervisor/runs/stored_pipelines.h"

#include <optional>
#include <utility>

#include "base/names.h"

namespace tidemill::supervisor {

absl::StatusOr<PipelineName> CheckedPipelineName(const std::string& name_space,
                                                 const std::string& name) {
  PipelineName checked;
  ASSIGN_OR_RETURN(checked.name_space, CheckedNamespace(name_space));
  RETURN_IF_ERROR(CheckName("pipeline", name));
  checked.name = name;
  return checked;
}

absl::StatusOr<v1::Pipeline> StoredPipelines::Get(const std::string& name_space,
                                                  const std::string& name) const {
  ASSIGN_OR_RETURN(const PipelineName full, CheckedPipelineName(name_space, name));
  std::optional<v1::Pipeline> pipeline;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    pipeline = FindPipeline(work, full);
    return absl::OkStatus();
  }));
  if (!pipeline) return NotFound("there is no pipeline {}", name);
  return *std::move(pipeline);
}

absl::StatusOr<std::vector<v1::Pipeline>> StoredPipelines::List(
    const std::string& name_space) const {
  ASSIGN_OR_RETURN(const std::string space, CheckedNamespace(name_space));
  std::vector<v1::Pipeline> pipelines;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    pipelines = ListPipelines(work, space);
    return absl::OkStatus();
  }));
  return pipelines;
}

}  // namespace tidemill::supervisor
