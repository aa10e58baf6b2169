// The file of tokens that identify callers, each with its role.
//
// Each line of the file is a pair `role token`. The roles are reader, operator and service. The
// file must belong to its reader and have mode 0600. A token has exactly one role. No role includes
// another: each method lists the roles that it allows.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// Thread-compatible.
class Tokens {
 public:
  // FAILED_PRECONDITION when others can read the file. NOT_FOUND. INVALID_ARGUMENT with the line
  // that does not parse.
  static absl::StatusOr<Tokens> Read(const std::string& path);

  // Writes a file with a new random token for every role, unless there is one already.
  static absl::Status Create(const std::string& path);

  // Returns the role of a token; ROLE_UNSPECIFIED when it is unknown. Takes the same time for every
  // token.
  v1::Role Find(const std::string& token) const;

  // Returns the token to show as `role`. NOT_FOUND when the file has none.
  absl::StatusOr<std::string> TokenOf(v1::Role role) const;

  // Returns a token for a job, which may reach what its claims say until they expire. NOT_FOUND
  // when the file has no token of the role service, which signs it.
  absl::StatusOr<std::string> SignForJob(const v1::JobClaims& claims) const;
  // Returns the claims of a job's token. UNAUTHENTICATED when it has expired, or none of the file's
  // tokens of the role service has signed it.
  absl::StatusOr<v1::JobClaims> ClaimsOf(const std::string& job_token) const;

 private:
  std::map<std::string, v1::Role> roles_;
};

}  // namespace tidemill::rpc
