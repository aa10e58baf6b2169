#include "rpc/authentication.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "google/protobuf/descriptor.h"

#include "rpc/call_log.h"
#include "rpc/call_metrics.h"
#include "rpc/callers/job_token.h"
#include "rpc/grpc_status.h"

namespace tidemill::rpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::MethodDescriptor;

constexpr std::string_view kScheme = "Bearer ";

// The one value of a key, empty when there is none or more than one.
std::string_view OnlyValue(const grpc::AuthMetadataProcessor::InputMetadata& metadata,
                           const char* key) {
  const auto [begin, end] = metadata.equal_range(key);
  if (begin == end || std::next(begin) != end) return {};
  return {begin->second.data(), begin->second.size()};
}

// "/tidemill.storage.v1.StorageService/GetDataset" -> its descriptor, or nullptr.
const MethodDescriptor* FindMethod(std::string_view path) {
  if (path.empty() || path.front() != '/') return nullptr;
  std::string name(path.substr(1));
  std::replace(name.begin(), name.end(), '/', '.');
  return DescriptorPool::generated_pool()->FindMethodByName(name);
}

bool Admits(const MethodDescriptor& method, v1::Role role) {
  const auto& allowed = method.options().GetRepeatedExtension(v1::allowed);
  return role != v1::ROLE_UNSPECIFIED &&
         std::find(allowed.begin(), allowed.end(), role) != allowed.end();
}

}  // namespace

grpc::Status Authentication::Process(const InputMetadata& metadata, grpc::AuthContext*,
                                     OutputMetadata* consumed, OutputMetadata*) {
  const absl::Status status = Check(metadata);
  if (!status.ok()) {
    ProcessCallMetrics().refused_calls.Add(1, absl::StatusCodeToString(status.code()));
    RefusedCallLog().Warn(
        {{"method", std::string(OnlyValue(metadata, ":path"))}, {"error", status.ToString()}});
    return ToGrpc(status);
  }
  // Handlers and what they log never see the token, except that of a job: it says what the job may
  // reach (job_scope.h).
  const std::string_view shown = OnlyValue(metadata, "authorization");
  if (!IsJobToken(shown.substr(kScheme.size()))) {
    consumed->emplace("authorization", std::string(shown));
  }
  return grpc::Status::OK;
}

absl::Status Authentication::Check(const InputMetadata& metadata) const {
  const std::string_view shown = OnlyValue(metadata, "authorization");
  if (!shown.starts_with(kScheme)) return Unauthenticated("the call carries no token");
  return CheckToken(tokens_, std::string(shown.substr(kScheme.size())),
                    OnlyValue(metadata, ":path"))
      .status();
}

absl::StatusOr<JobScope> CheckToken(const Tokens& tokens, const std::string& token,
                                    std::string_view method) {
  v1::Role role = tokens.Find(token);
  JobScope scope;
  if (role == v1::ROLE_UNSPECIFIED && IsJobToken(token)) {
    ASSIGN_OR_RETURN(v1::JobClaims claims, tokens.ClaimsOf(token));
    scope = JobScope(std::move(claims));
    role = v1::ROLE_JOB;
  }
  if (role == v1::ROLE_UNSPECIFIED) return Unauthenticated("the call carries an unknown token");
  const MethodDescriptor* const descriptor = FindMethod(method);
  if (descriptor == nullptr) return PermissionDenied("there is no method {}", method);
  if (!Admits(*descriptor, role)) {
    return PermissionDenied("{} does not allow the role {}", descriptor->full_name(),
                            v1::Role_Name(role));
  }
  return scope;
}

absl::Status CheckAllMethodsHaveRoles(const std::string& service) {
  const auto* const descriptor = DescriptorPool::generated_pool()->FindServiceByName(service);
  if (descriptor == nullptr) return InvalidArgument("service {} has no descriptor", service);
  for (int i = 0; i < descriptor->method_count(); ++i) {
    const MethodDescriptor& method = *descriptor->method(i);
    if (method.options().ExtensionSize(v1::allowed) == 0) {
      return InvalidArgument("method {} has no allowed roles", method.full_name());
    }
  }
  return absl::OkStatus();
}

}  // namespace tidemill::rpc
