// Decides whether a call may reach its method. No other place decides it.
#pragma once

#include <string>
#include <string_view>

#include "grpcpp/security/auth_metadata_processor.h"

#include "base/status.h"
#include "rpc/access/tokens.h"
#include "rpc/callers/job_scope.h"

namespace tidemill::rpc {

// Refuses a call before its handler runs: UNAUTHENTICATED without a known token, PERMISSION_DENIED
// when the method's `allowed` option does not list the token's role. Thread-safe.
//
// It is a processor, because an interceptor cannot keep the handler from running.
class Authentication : public grpc::AuthMetadataProcessor {
 public:
  explicit Authentication(Tokens tokens) : tokens_(std::move(tokens)) {}

  // Runs on the thread that read the call, because nothing here waits.
  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  absl::Status Check(const InputMetadata& metadata) const;

  const Tokens tokens_;
};

// UNAUTHENTICATED when the token is unknown. PERMISSION_DENIED when the method's `allowed` option
// does not list its role. `method` is "/package.Service/Method". Returns what the caller may reach,
// which calls that do not come through gRPC have to check.
absl::StatusOr<JobScope> CheckToken(const Tokens& tokens, const std::string& token,
                                    std::string_view method);

// INVALID_ARGUMENT when a method of the service, given by its full name, has no `allowed` roles.
absl::Status CheckAllMethodsHaveRoles(const std::string& service);

}  // namespace tidemill::rpc
