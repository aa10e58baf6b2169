// The scope that the caller of a method may access.
//
//   grpc::Status Service::GetModel(grpc::ServerContext* context, const GetModelRequest* request,
//   ...
//     RETURN_GRPC_IF_ERROR(rpc::JobScope::OfCall(*context).Check(*request));
#pragma once

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// A value.
class JobScope {
 public:
  // Everything that the method offers: the caller is not a job.
  JobScope() = default;
  explicit JobScope(v1::JobClaims claims) : claims_(std::move(claims)) {}

  // The scope of a call that Authentication has admitted. It leaves a job's token with the call.
  static JobScope OfCall(const grpc::ServerContextBase& context);

  bool is_job() const { return claims_.has_value(); }
  const std::optional<v1::JobClaims>& claims() const { return claims_; }
  // The name of the job; empty without one.
  std::string holder() const { return claims_ ? claims_->holder() : ""; }

  // PERMISSION_DENIED when a field of the request that has a `scope` is beyond what the job may
  // reach, or when no field has one. OK when the caller is not a job. SCOPE_MODEL with
  // `models_of_run` is left to the model store, which knows the run of a model.
  absl::Status Check(const google::protobuf::Message& request) const;

  // PERMISSION_DENIED when the command belongs to another run. Check() does it for commands of
  // requests.
  absl::Status CheckCommand(const v1::Command& command) const;

  // PERMISSION_DENIED when the job is another one. OK when the caller is not a job.
  absl::Status CheckHolder(const std::string& holder) const;

 private:
  std::optional<v1::JobClaims> claims_;
};

// PERMISSION_DENIED: "the token of training 3/7 does not reach WHAT".
absl::Status BeyondScope(const v1::JobClaims& claims, const std::string& what);

}  // namespace tidemill::rpc
