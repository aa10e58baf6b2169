// Calls of other services to the trainer server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"

namespace tidemill::trainer_server {

// Every method is idempotent. Unary calls retry UNAVAILABLE until the peer's deadline. The errors
// are as in trainer_server.proto. Thread-safe.
class TrainerClient {
 public:
  // A status other than OK ends the call and is its result.
  using Progress = std::function<absl::Status(const v1::WatchTrainingResponse&)>;

  explicit TrainerClient(rpc::Peer peer);

  // May take as long as reading the training set.
  // DEADLINE_EXCEEDED when the peer's deadline is shorter; a retried call then continues the fit.
  absl::StatusOr<v1::FitGraphResponse> FitGraph(const v1::FitGraphRequest& request);

  absl::StatusOr<v1::GetTrainingDigestResponse> GetTrainingDigest(
      const v1::GetTrainingDigestRequest& request);

  absl::StatusOr<v1::ListDevicesResponse> ListDevices();

  absl::Status StartTraining(const v1::StartTrainingRequest& request);

  // Reports progress until the training is DONE, FAILED or STOPPED. Returns the last message.
  // UNAVAILABLE when the server goes away. CANCELLED when the peer is stopped. The call is not
  // retried: start the training again, which continues from its last checkpoint, and watch it
  // again.
  absl::StatusOr<v1::WatchTrainingResponse> WatchTraining(RunId run, int64_t trigger,
                                                          const Progress& progress);

  absl::Status StopTraining(const rpc::v1::Command& command, int64_t trigger);
  absl::StatusOr<v1::StoreModelResponse> StoreModel(const v1::StoreModelRequest& request);
  absl::Status RetireTrainings(const rpc::v1::Command& command, int64_t first_kept_trigger);
  absl::Status DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::TrainerService::Stub> stub_;
};

}  // namespace tidemill::trainer_server
