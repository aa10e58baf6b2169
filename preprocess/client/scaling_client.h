// Asks the dispatcher how many workers are wanted, and why.
#pragma once

#include <memory>

#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/scaling.grpc.pb.h"

namespace tidemill::preprocess {

// Retries UNAVAILABLE until the peer's deadline. Thread-safe.
class ScalingClient {
 public:
  static constexpr char kService[] = "preprocess";

  explicit ScalingClient(rpc::Peer dispatcher);

  // Returns the state, and at most this many of the last decisions.
  absl::StatusOr<v1::GetScalingResponse> Get(int most_decisions);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::ScalingService::Stub> stub_;
};

}  // namespace tidemill::preprocess
