#include "cli/exit_codes.h"

#include <cstdio>

#include "cli/text.h"

namespace tidemill::cli {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kDone;
    case absl::StatusCode::kInvalidArgument:
      return kInvalid;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kNotAllowed;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
      return kConflict;
    default:
      return kFailed;
  }
}

ExitCode Report(const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  if (code == kDone) return code;
  fmt::print(stderr, "tidemill: {}\n", Printable(std::string(status.message())));
  if (code == kUnreachable) {
    fmt::print(stderr, "  start a stack with `tidemill up`, or see `tidemill status`\n");
  }
  if (code == kNotAllowed) {
    fmt::print(stderr, "  the token file is read from the stack's state folder; see --state\n");
  }
  return code;
}

}  // namespace tidemill::cli
