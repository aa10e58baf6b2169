// How other services see the trainer server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"

namespace tidemill::trainer_server {

// Every method is safe to repeat; unary calls retry UNAVAILABLE within their deadline. Errors are
// those of trainer_server.proto. Thread-safe.
class TrainerClient {
 public:
  // What it returns other than OK ends the call and is its result.
  using Progress = std::function<absl::Status(const v1::WatchTrainingResponse&)>;

  explicit TrainerClient(rpc::Peer peer);

  // Returns the fitted state's digest. May take as long as reading the training set does.
  absl::StatusOr<std::string> FitGraph(const v1::FitGraphRequest& request);

  absl::Status StartTraining(const v1::StartTrainingRequest& request);

  // Gives progress until the training is DONE, FAILED or STOPPED and returns its last message.
  // UNAVAILABLE when the server goes away.
  absl::StatusOr<v1::WatchTrainingResponse> WatchTraining(RunId run, int64_t trigger,
                                                          const Progress& progress);

  // Starts a training and watches it to its end. A server that goes away and comes back within the
  // peer's deadline is asked again, and the training resumes. FAILED_PRECONDITION, with the
  // training's error, when it FAILED; CANCELLED when somebody stopped it.
  absl::StatusOr<v1::WatchTrainingResponse> Train(const v1::StartTrainingRequest& request,
                                                  const Progress& progress);

  absl::Status StopTraining(const rpc::v1::Command& command, int64_t trigger);
  absl::StatusOr<v1::StoreModelResponse> StoreModel(const rpc::v1::Command& command,
                                                    int64_t trigger);
  absl::Status DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::TrainerService::Stub> stub_;
};

}  // namespace tidemill::trainer_server
