#include "supervisor/model_use_service.h"

#include <utility>

#include "rpc/commands.h"
#include "rpc/grpc_status.h"

namespace tidemill::supervisor {
namespace {

template <typename Response>
grpc::Status Answer(absl::StatusOr<Response> answer, Response* response) {
  if (!answer.ok()) return ToGrpc(answer.status());
  *response = *std::move(answer);
  return grpc::Status::OK;
}

// Does the same for a command that acts for a person.
template <typename Request, typename Response>
grpc::Status Obey(ModelUses& uses, absl::StatusOr<Response> (ModelUses::*method)(const Request&),
                  const Request& request, Response* response) {
  if (const absl::Status named = rpc::CheckNamesNoRun(request.command()); !named.ok()) {
    return ToGrpc(named);
  }
  return Answer((uses.*method)(request), response);
}

}  // namespace

grpc::Status ModelUseService::GetModelInUse(grpc::ServerContext*,
                                            const v1::GetModelInUseRequest* request,
                                            v1::GetModelInUseResponse* response) {
  return Answer(uses_.Get(*request), response);
}

grpc::Status ModelUseService::ListModelChanges(grpc::ServerContext*,
                                               const v1::ListModelChangesRequest* request,
                                               v1::ListModelChangesResponse* response) {
  return Answer(uses_.List(*request), response);
}

grpc::Status ModelUseService::UseModel(grpc::ServerContext*, const v1::UseModelRequest* request,
                                       v1::UseModelResponse* response) {
  return Obey(uses_, &ModelUses::Use, *request, response);
}

grpc::Status ModelUseService::ReleaseModel(grpc::ServerContext*,
                                           const v1::ReleaseModelRequest* request,
                                           v1::ReleaseModelResponse* response) {
  return Obey(uses_, &ModelUses::Release, *request, response);
}

grpc::Status ModelUseService::RollBackModel(grpc::ServerContext*,
                                            const v1::RollBackModelRequest* request,
                                            v1::RollBackModelResponse* response) {
  return Obey(uses_, &ModelUses::RollBack, *request, response);
}

}  // namespace tidemill::supervisor
