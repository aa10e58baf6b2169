#include "preprocess/client/scaling_client.h"

#include <utility>

namespace tidemill::preprocess {

ScalingClient::ScalingClient(rpc::Peer dispatcher)
    : peer_(std::move(dispatcher)), stub_(v1::ScalingService::NewStub(rpc::Connect(peer_))) {}

absl::StatusOr<v1::GetScalingResponse> ScalingClient::Get(int most_decisions) {
  v1::GetScalingRequest request;
  request.set_most_decisions(most_decisions);
  v1::GetScalingResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::ScalingService::Stub::GetScaling, request, &response));
  return response;
}

}  // namespace tidemill::preprocess
