#include "supervisor_client/pool_client.h"

#include <utility>

namespace tidemill::supervisor {

using PoolStub = v1::PoolService::Stub;

PoolClient::PoolClient(rpc::Peer supervisor)
    : peer_(std::move(supervisor)), stub_(v1::PoolService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::RegisterMemberResponse> PoolClient::Register(
    const v1::RegisterMemberRequest& request) {
  v1::RegisterMemberResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &PoolStub::RegisterMember, request, &response));
  return response;
}

absl::StatusOr<v1::BeatResponse> PoolClient::Beat(const v1::BeatRequest& request) {
  v1::BeatResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &PoolStub::Beat, request, &response));
  return response;
}

absl::StatusOr<v1::Member> PoolClient::Drain(const std::string& name, bool draining) {
  v1::DrainMemberRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_name(name);
  request.set_undo(!draining);
  v1::DrainMemberResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &PoolStub::DrainMember, request, &response));
  return response.member();
}

absl::StatusOr<v1::GetPoolResponse> PoolClient::Get() {
  v1::GetPoolResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &PoolStub::GetPool, v1::GetPoolRequest(), &response));
  return response;
}

absl::StatusOr<v1::ListPlacementsResponse> PoolClient::ListPlacements(RunId run) {
  v1::ListPlacementsRequest request;
  request.set_run_id(run.value);
  v1::ListPlacementsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &PoolStub::ListPlacements, request, &response));
  return response;
}

}  // namespace tidemill::supervisor
