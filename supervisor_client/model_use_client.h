// Calls about the models that pipelines have in use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/supervisor/v1/model_use.grpc.pb.h"

namespace tidemill::supervisor {

// Every method is idempotent and retries UNAVAILABLE until the peer's deadline. The errors are as
// in model_use.proto. Thread-safe.
class ModelUseClient {
 public:
  static constexpr char kService[] = "supervisor";

  explicit ModelUseClient(rpc::Peer supervisor);

  // The pipeline's model in use. An empty namespace means the default one.
  absl::StatusOr<v1::ModelChange> Get(const std::string& pipeline, const std::string& name_space);
  // Changes, the newest first; `limit` of 0 returns as many as an answer may have.
  absl::StatusOr<v1::ListModelChangesResponse> ListOfPipeline(const std::string& pipeline,
                                                              int64_t limit);
  absl::StatusOr<v1::ListModelChangesResponse> ListOfRun(RunId run, int64_t limit);
  absl::StatusOr<v1::ModelChange> Use(ModelId model, bool pin);
  absl::StatusOr<v1::ModelChange> Release(const std::string& pipeline, v1::ModelRelease release);
  // Lets no model answer for a pipeline that will be deleted, whether one did or not.
  absl::Status UseNoModel(const std::string& pipeline);
  absl::StatusOr<v1::RollBackModelResponse> RollBack(const std::string& pipeline, bool pin);

 private:
  absl::StatusOr<v1::ListModelChangesResponse> List(const v1::ListModelChangesRequest& request);

  const rpc::Peer peer_;
  const std::unique_ptr<v1::ModelUseService::Stub> stub_;
};

}  // namespace tidemill::supervisor
