// Calls to the supervisor's pool.
#pragma once

#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/supervisor/v1/pool.grpc.pb.h"

namespace tidemill::supervisor {

// Every method is idempotent and retries UNAVAILABLE until the peer's deadline. The errors are as
// in pool.proto. Thread-safe.
class PoolClient {
 public:
  static constexpr char kService[] = "supervisor";

  explicit PoolClient(rpc::Peer supervisor);

  absl::StatusOr<v1::RegisterMemberResponse> Register(const v1::RegisterMemberRequest& request);
  absl::StatusOr<v1::BeatResponse> Beat(const v1::BeatRequest& request);
  // Lets a member take no more jobs, or take jobs again.
  absl::StatusOr<v1::Member> Drain(const std::string& name, bool draining);
  absl::StatusOr<v1::GetPoolResponse> Get();
  absl::StatusOr<v1::ListPlacementsResponse> ListPlacements(RunId run);

 private:
  const rpc::Peer peer_;
  const std::unique_ptr<v1::PoolService::Stub> stub_;
};

}  // namespace tidemill::supervisor
