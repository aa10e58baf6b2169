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

// Every method is safe to repeat; unary calls retry UNAVAILABLE within the peer's deadline. Errors
// are those of trainer_server.proto. Thread-safe.
class TrainerClient {
 public:
  // What it returns other than OK ends the call and is its result.
  using Progress = std::function<absl::Status(const v1::WatchTrainingResponse&)>;

  explicit TrainerClient(rpc::Peer peer);

  // Returns the fitted state's digest. May take as long as reading the training set does:
  // DEADLINE_EXCEEDED where the peer's deadline is shorter. Asked again, it goes on.
  absl::StatusOr<std::string> FitGraph(const v1::FitGraphRequest& request);

  absl::Status StartTraining(const v1::StartTrainingRequest& request);

  // Gives progress until the training is DONE, FAILED or STOPPED and returns its last message. Not
  // retried: UNAVAILABLE when the server goes away, CANCELLED when the peer is stopped. Start the
  // training again, which goes on where it was, and watch again.
  absl::StatusOr<v1::WatchTrainingResponse> WatchTraining(RunId run, int64_t trigger,
                                                          const Progress& progress);

  absl::Status StopTraining(const rpc::v1::Command& command, int64_t trigger);
  absl::StatusOr<v1::StoreModelResponse> StoreModel(const rpc::v1::Command& command,
                                                    int64_t trigger);
  absl::Status RetireTrainings(const rpc::v1::Command& command, int64_t first_kept_trigger);
  absl::Status DeleteRun(const rpc::v1::Command& command);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::TrainerService::Stub> stub_;
};

}  // namespace tidemill::trainer_server
