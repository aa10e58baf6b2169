// The text of a token that a service gives to one job: what the job may reach, signed. Services
// that hold the same secret check it without asking each other.
//
//   job.<claims in base 64>.<HMAC-SHA256 of the claims in base 64>
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// Whether a token is a job's, or claims to be.
bool IsJobToken(std::string_view token);

// `secret` is a token of the role service. It does not follow from the result.
std::string SignJobToken(const v1::JobClaims& claims, std::string_view secret);

// Returns the claims, however old. UNAUTHENTICATED when they were not signed with this secret.
absl::StatusOr<v1::JobClaims> VerifyJobToken(std::string_view token, std::string_view secret);

// Returns the claims of a token that was verified before.
absl::StatusOr<v1::JobClaims> ReadVerifiedToken(std::string_view token);

}  // namespace tidemill::rpc
