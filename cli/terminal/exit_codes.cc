#include "cli/terminal/exit_codes.h"

#include <cstdio>

#include "base/disk_full.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {

const std::vector<ExitCodeMeaning>& ExitCodeMeanings() {
  static const std::vector<ExitCodeMeaning> meanings = {
      {kDone, "done, or the pipeline succeeded"},
      {kFailed, "the pipeline or the command failed, or its output could not be written"},
      {kUsage, "usage: unknown flags or arguments"},
      {kInvalid, "the pipeline file is not valid"},
      {kNotFound, "no such run, pipeline, dataset or model"},
      {kUnreachable, "no stack, or it did not answer in time; trying again may help"},
      {kNotAllowed, "the token, or the mode of a file, does not allow this"},
      {kConflict, "conflict: the name is taken by something else, or the state forbids it"},
      {kPartial,
       "finished with losses: no trigger fired, triggers were skipped, evaluations failed, or "
       "records were left out, quarantined or damaged"},
      {kInterrupted, "detached by Ctrl-C; the run goes on"},
  };
  return meanings;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  // Nobody makes room by waiting for a service.
  if (IsDiskFull(status)) return kFailed;
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
  std::fflush(stdout);  // Both may go to one file.
  fmt::print(stderr, "tidemill: {}\n", Printable(std::string(status.message())));
  if (code == kUnreachable) {
    const bool none_runs = std::string(status.message()).starts_with("no stack ");
    fmt::print(stderr, "  {}\n",
               none_runs ? "start a stack with `tidemill up`"
                         : "`tidemill status` says which services answer");
  }
  // Files that may not be read or written are none of the token's.
  if (absl::IsUnauthenticated(status)) {
    fmt::print(stderr, "  the token file is read from the stack's state folder; see --state\n");
  }
  return code;
}

}  // namespace tidemill::cli
