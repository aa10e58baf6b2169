// Calls to the supervisor.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::supervisor {

// Every method can be repeated safely. UNAVAILABLE is retried until the peer's deadline. The errors
// are those of supervisor.proto. Thread-safe.
class SupervisorClient {
 public:
  // A status other than OK ends the watch and is its result.
  using Watcher = std::function<absl::Status(const v1::WatchRunResponse&)>;

  explicit SupervisorClient(rpc::Peer peer);

  absl::StatusOr<v1::SubmitPipelineResponse> SubmitPipeline(
      const v1::SubmitPipelineRequest& request);
  absl::StatusOr<v1::ListPipelinesResponse> ListPipelines(const std::string& name_space);
  absl::StatusOr<v1::Pipeline> GetPipeline(const std::string& name);
  // Returns whether the pipeline existed.
  absl::StatusOr<bool> DeletePipeline(const std::string& name);

  // Returns the newest run first. An empty name means all pipelines.
  absl::StatusOr<v1::ListRunsResponse> ListRuns(const std::string& pipeline_name);
  absl::StatusOr<v1::GetRunResponse> GetRun(RunId run);
  absl::StatusOr<v1::Run> StopRun(RunId run);
  absl::StatusOr<v1::Run> ResumeRun(RunId run);
  absl::StatusOr<v1::TriggerRunResponse> TriggerRun(RunId run);
  absl::StatusOr<v1::GetDecisionResponse> GetDecision(const v1::GetDecisionRequest& request);
  // Returns whether the run existed.
  absl::StatusOr<bool> DeleteRun(RunId run);

  // Calls `watcher` with every event after `after_sequence`, and with progress. Returns the run at
  // its end. Connects again when the stream breaks; no event comes twice. UNAVAILABLE when the
  // supervisor was away for the peer's deadline.
  absl::StatusOr<v1::Run> WatchRun(RunId run, int64_t after_sequence, const Watcher& watcher);

 private:
  absl::StatusOr<v1::Run> WatchOnce(const v1::WatchRunRequest& request, const Watcher& watcher,
                                    int64_t& last_sequence, absl::Status& stopped);

  const rpc::Peer peer_;
  const std::unique_ptr<v1::SupervisorService::Stub> stub_;
};

}  // namespace tidemill::supervisor
