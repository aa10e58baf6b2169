#include "rpc/callers/job_scope.h"

#include <algorithm>

#include "google/protobuf/descriptor.h"

#include "rpc/callers/job_token.h"

namespace tidemill::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

template <typename Values, typename T>
bool IsAmong(const Values& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

bool Reaches(const v1::JobClaims& claims, v1::Scope scope, int64_t value) {
  switch (scope) {
    case v1::SCOPE_RUN:
      return claims.run_id() == value;
    case v1::SCOPE_TRIGGER:
      return IsAmong(claims.triggers(), value);
    case v1::SCOPE_DATASET:
      return IsAmong(claims.dataset_ids(), value);
    case v1::SCOPE_MODEL:
      return claims.models_of_run() || IsAmong(claims.model_ids(), value);
    default:
      return false;
  }
}

absl::Status CheckField(const Message& request, const FieldDescriptor& field,
                        const v1::JobClaims& claims) {
  const v1::Scope scope = field.options().GetExtension(v1::scope);
  std::string value;
  bool reaches = false;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    const int64_t number = request.GetReflection()->GetInt64(request, &field);
    reaches = Reaches(claims, scope, number);
    value = std::to_string(number);
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    value = request.GetReflection()->GetString(request, &field);
    reaches = scope == v1::SCOPE_FILE && IsAmong(claims.file_digests(), value);
  }
  if (reaches) return absl::OkStatus();
  return BeyondScope(claims, fmt::format("{} {}", field.name(), value));
}

// Commands of a run raise its epoch, which stops others.
absl::Status CheckRun(const v1::Command& command, const v1::JobClaims& claims) {
  if (command.run_id() == 0 || command.run_id() == claims.run_id()) return absl::OkStatus();
  return BeyondScope(claims, fmt::format("run {}", command.run_id()));
}

// `num_checked` counts fields that have a scope.
absl::Status CheckFields(const Message& request, const v1::JobClaims& claims, int& num_checked) {
  const auto& descriptor = *request.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    if (field.is_repeated()) continue;
    if (field.options().HasExtension(v1::scope)) {
      ++num_checked;
      RETURN_IF_ERROR(CheckField(request, field, claims));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const Message& part = request.GetReflection()->GetMessage(request, &field);
      if (field.message_type() == v1::Command::descriptor()) {
        RETURN_IF_ERROR(CheckRun(static_cast<const v1::Command&>(part), claims));
      } else if (request.GetReflection()->HasField(request, &field)) {
        RETURN_IF_ERROR(CheckFields(part, claims, num_checked));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

JobScope JobScope::OfCall(const grpc::ServerContextBase& context) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  if (found == metadata.end()) return {};
  std::string_view token(found->second.data(), found->second.size());
  if (!token.starts_with(kScheme)) return {};
  token.remove_prefix(kScheme.size());
  if (!IsJobToken(token)) return {};
  absl::StatusOr<v1::JobClaims> claims = ReadVerifiedToken(token);
  // One that does not parse reaches nothing.
  return claims.ok() ? JobScope(*std::move(claims)) : JobScope(v1::JobClaims());
}

absl::Status JobScope::Check(const Message& request) const {
  if (!claims_) return absl::OkStatus();
  int num_checked = 0;
  RETURN_IF_ERROR(CheckFields(request, *claims_, num_checked));
  if (num_checked > 0) return absl::OkStatus();
  return BeyondScope(*claims_, request.GetDescriptor()->name());
}

absl::Status JobScope::CheckCommand(const v1::Command& command) const {
  return claims_ ? CheckRun(command, *claims_) : absl::OkStatus();
}

absl::Status JobScope::CheckHolder(const std::string& holder) const {
  if (!claims_ || (!holder.empty() && claims_->holder() == holder)) return absl::OkStatus();
  return BeyondScope(*claims_, "what another job has made");
}

absl::Status BeyondScope(const v1::JobClaims& claims, const std::string& what) {
  return PermissionDenied("the token of {} does not reach {}", claims.holder(), what);
}

}  // namespace tidemill::rpc
