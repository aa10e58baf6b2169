// Calls to the supervisor.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/supervisor/v1/devices.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::supervisor {

// Every method is idempotent. UNAVAILABLE is retried until the peer's deadline, except by streams,
// whose comments say what they do. The errors are as in supervisor.proto. A stop of the peer ends a
// call with CANCELLED. Thread-safe.
class SupervisorClient {
 public:
  static constexpr char kService[] = "supervisor";

  // A status other than OK ends the watch and is its result.
  using Watcher = std::function<absl::Status(const v1::WatchRunResponse&)>;
  // How long the supervisor may be unreachable. Called each time that it is.
  using Patience = std::function<std::chrono::milliseconds()>;
  using BacktestProgress = std::function<void(const v1::WatchBacktestResponse::Progress&)>;
  // Returns the next bytes, and std::nullopt at the end. Any other status is the result.
  using NextBytes = std::function<absl::StatusOr<std::optional<std::string>>()>;

  explicit SupervisorClient(rpc::Peer peer);

  absl::StatusOr<v1::SubmitPipelineResponse> SubmitPipeline(
      const v1::SubmitPipelineRequest& request);
  // Sends the file of a network before its pipeline is submitted. Not retried.
  absl::Status SendNetwork(v1::SendNetworkRequest::Header header, const NextBytes& next);
  absl::StatusOr<v1::ListPipelinesResponse> ListPipelines(const std::string& name_space);
  absl::StatusOr<v1::Pipeline> GetPipeline(const std::string& name);
  // Returns whether the pipeline existed.
  absl::StatusOr<bool> DeletePipeline(const std::string& name);

  // Returns the newest run first. An empty name means all pipelines.
  absl::StatusOr<v1::ListRunsResponse> ListRuns(const std::string& pipeline_name);
  absl::StatusOr<v1::ListRunsResponse> FindRuns(const v1::ListRunsRequest& request);
  absl::StatusOr<v1::GetRunResponse> GetRun(RunId run, bool with_events);
  absl::StatusOr<v1::Run> StopRun(RunId run);
  absl::StatusOr<v1::Run> ResumeRun(RunId run);
  absl::StatusOr<v1::TriggerRunResponse> TriggerRun(RunId run);
  absl::StatusOr<v1::GetDecisionResponse> GetDecision(const v1::GetDecisionRequest& request);
  // The request gets its command here.
  absl::StatusOr<v1::Run> AnnotateRun(v1::AnnotateRunRequest request);
  // Returns whether the run existed.
  absl::StatusOr<bool> DeleteRun(RunId run);

  // Calls `watcher` with every event after `after_sequence`, and with progress. Returns the run at
  // its end. Connects again when the stream breaks; no event comes twice. When the supervisor has
  // been unreachable for longer than `patience`, returns the reason.
  absl::StatusOr<v1::Run> WatchRun(RunId run, int64_t after_sequence, const Watcher& watcher,
                                   const Patience& patience);

  // Where the jobs of the stack compute. A server that does not answer has its reason there.
  absl::StatusOr<v1::ListDevicesResponse> ListDevices();

  // Tries policies on history. Calls `progress` now and then. Not retried.
  absl::StatusOr<v1::WatchBacktestResponse::Final> WatchBacktest(
      const v1::WatchBacktestRequest& request, const BacktestProgress& progress);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::SupervisorService::Stub> stub_;
  const std::unique_ptr<v1::DeviceService::Stub> devices_;
};

}  // namespace tidemill::supervisor
