#include "supervisor/requests/model_uses.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "db/fencing.h"
#include "supervisor/runs/runs_table.h"
#include "supervisor/runs/stored_pipelines.h"

namespace tidemill::supervisor {
namespace {

// More of them would not fit into a message.
constexpr int64_t kMostChanges = 5'000;

absl::StatusOr<PipelineId> PipelineOf(pqxx::work& work, const std::string& name_space,
                                      const std::string& name) {
  ASSIGN_OR_RETURN(const PipelineName full, CheckedPipelineName(name_space, name));
  const auto found = FindPipelineId(work, full.name_space, full.name);
  if (!found) return NotFound("there is no pipeline '{}'", name);
  return *found;
}

// Why a pipeline has no model in use.
absl::Status NoModel(const std::string& pipeline, const std::optional<ModelChangeRow>& last) {
  return FailedPrecondition(
      "pipeline {0} has no model in use: {1}; run the pipeline, or put a model to use: `tidemill "
      "models use {0}/N`",
      pipeline,
      last ? last->change.text()
           : "none of its runs has kept one, besides trials, whose models do not answer for it");
}

}  // namespace

template <typename Response>
absl::StatusOr<Response> ModelUses::Once(
    const rpc::v1::Command& command,
    const std::function<absl::StatusOr<Response>(pqxx::work&)>& change) {
  Response response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(const auto answered, db::FindAnswer(work, kSchema, command.request_id()));
    if (answered) {
      response.ParseFromString(*answered);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(response, change(work));
    return db::RememberAnswer(work, kSchema, command.request_id(), response.SerializeAsString());
  }));
  return response;
}

absl::StatusOr<v1::GetModelInUseResponse> ModelUses::Get(
    const v1::GetModelInUseRequest& request) const {
  v1::GetModelInUseResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(const PipelineId pipeline,
                     PipelineOf(work, request.namespace_(), request.pipeline_name()));
    auto last = LastModelChange(work, pipeline);
    if (!last || last->change.model_id() == 0) return NoModel(request.pipeline_name(), last);
    *response.mutable_in_use() = std::move(last->change);
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::ListModelChangesResponse> ModelUses::List(
    const v1::ListModelChangesRequest& request) const {
  if (request.pipeline_name().empty() == (request.run_id() == 0)) {
    return InvalidArgument("the request must name either a pipeline or a run");
  }
  if (request.limit() < 0) return InvalidArgument("the limit is {}", request.limit());
  const int64_t limit =
      request.limit() == 0 ? kMostChanges : std::min(request.limit(), kMostChanges);
  v1::ListModelChangesResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    response.Clear();
    PipelineId pipeline;
    const RunId run{request.run_id()};
    if (run.value != 0) {
      const auto found = FindRun(work, run);
      if (!found) return NotFound("run {} is unknown", run.value);
      pipeline = found->pipeline_id;
    } else {
      ASSIGN_OR_RETURN(pipeline, PipelineOf(work, request.namespace_(), request.pipeline_name()));
    }
    for (v1::ModelChange& change : ListModelChanges(work, pipeline, run, limit)) {
      *response.add_changes() = std::move(change);
    }
    response.set_num_left_out(CountModelChanges(work, pipeline, run) - response.changes_size());
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::UseModelResponse> ModelUses::Use(const v1::UseModelRequest& request) {
  return Once<v1::UseModelResponse>(
      request.command(), [&](pqxx::work& work) -> absl::StatusOr<v1::UseModelResponse> {
        v1::UseModelResponse response;
        ASSIGN_OR_RETURN(*response.mutable_change(),
                         UseModel(work, request.model_id(), request.pin()));
        return response;
      });
}

absl::StatusOr<v1::ReleaseModelResponse> ModelUses::Release(
    const v1::ReleaseModelRequest& request) {
  return Once<v1::ReleaseModelResponse>(
      request.command(), [&](pqxx::work& work) -> absl::StatusOr<v1::ReleaseModelResponse> {
        ASSIGN_OR_RETURN(const PipelineId pipeline,
                         PipelineOf(work, request.namespace_(), request.pipeline_name()));
        v1::ReleaseModelResponse response;
        switch (request.release()) {
          case v1::MODEL_RELEASE_PIN: {
            ASSIGN_OR_RETURN(*response.mutable_change(), UnpinModel(work, pipeline));
            return response;
          }
          case v1::MODEL_RELEASE_MODEL: {
            ASSIGN_OR_RETURN(*response.mutable_change(), UseNoModel(work, pipeline));
            return response;
          }
          default:
            return InvalidArgument("the request does not say what to release");
        }
      });
}

absl::StatusOr<v1::RollBackModelResponse> ModelUses::RollBack(
    const v1::RollBackModelRequest& request) {
  return Once<v1::RollBackModelResponse>(
      request.command(), [&](pqxx::work& work) -> absl::StatusOr<v1::RollBackModelResponse> {
        ASSIGN_OR_RETURN(const PipelineId pipeline,
                         PipelineOf(work, request.namespace_(), request.pipeline_name()));
        return RollBackModel(work, pipeline, request.pin());
      });
}

}  // namespace tidemill::supervisor
