// Who may call: a file of tokens and the role each stands for.
//
// The file holds one `role token` pair a line (roles: reader, operator, service) and must belong to
// its reader with mode 0600. A token admits to every role at or below its own: service > operator >
// reader is NOT implied; each method lists the roles it allows.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::rpc {

// Thread-compatible.
class Tokens {
 public:
  // FAILED_PRECONDITION when the file can be read by others; NOT_FOUND; INVALID_ARGUMENT with the
  // line that does not parse.
  static absl::StatusOr<Tokens> Read(const std::string& path);

  // Writes a file with a fresh random token for every role, unless there is one already.
  static absl::Status Create(const std::string& path);

  // The role of a token, ROLE_UNSPECIFIED for an unknown one. Takes the same time for every token.
  v1::Role Find(const std::string& token) const;

  // The token to show as `role`; NOT_FOUND if the file has none.
  absl::StatusOr<std::string> TokenOf(v1::Role role) const;

 private:
  std::map<std::string, v1::Role> roles_;
};

}  // namespace tidemill::rpc
