// Decides whether a call may reach its method. The only place where that is decided.
#pragma once

#include <string>
#include <string_view>

#include "grpcpp/security/auth_metadata_processor.h"

#include "base/status.h"
#include "rpc/tokens.h"

namespace tidemill::rpc {

// Refuses a call before its handler runs: UNAUTHENTICATED without a known token, PERMISSION_DENIED
// when the method's `allowed` option does not list the token's role. Thread-safe.
//
// A processor rather than an interceptor: the handler runs whatever an interceptor does.
class Authentication : public grpc::AuthMetadataProcessor {
 public:
  explicit Authentication(Tokens tokens) : tokens_(std::move(tokens)) {}

  // On the thread that read the call: nothing here waits.
  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  absl::Status Check(const InputMetadata& metadata) const;

  const Tokens tokens_;
};

// UNAUTHENTICATED for an unknown token, PERMISSION_DENIED when the method's `allowed` option does
// not list its role. `method` is "/package.Service/Method". For what is not asked through gRPC but
// is a call all the same.
absl::Status CheckToken(const Tokens& tokens, const std::string& token, std::string_view method);

// INVALID_ARGUMENT when a method of the service, named in full, lacks `allowed` roles.
absl::Status CheckAllMethodsHaveRoles(const std::string& service);

}  // namespace tidemill::rpc
