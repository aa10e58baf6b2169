#include "preprocess/scaling/scaling_service.h"

#include <algorithm>
#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::preprocess {
namespace {

constexpr int kDecisions = 20;
constexpr int kMostDecisions = 1'000;

}  // namespace

grpc::Status ScalingService::GetScaling(grpc::ServerContext*, const v1::GetScalingRequest* request,
                                        v1::GetScalingResponse* response) {
  WorkerScaling* const scaling = scaling_;
  if (scaling == nullptr) return grpc::Status::OK;
  response->set_scales(true);
  response->set_wanted(scaling->wanted());
  if (auto engine = scaling->DescribeEngine()) *response->mutable_engine() = *std::move(engine);
  const int most = request->most_decisions() <= 0 ? kDecisions : request->most_decisions();
  auto decisions = scaling->Decisions(std::min(most, kMostDecisions));
  if (!decisions.ok()) return ToGrpc(decisions.status());
  for (v1::ScalingDecision& decision : *decisions) {
    *response->add_decisions() = std::move(decision);
  }
  return grpc::Status::OK;
}

}  // namespace tidemill::preprocess
