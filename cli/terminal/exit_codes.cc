#include "cli/terminal/exit_codes.h"

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/disk_full.h"
#include "cli/terminal/error_json.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

bool& IsJson() {
  static bool is_json = false;
  return is_json;
}

// What to do about a failure that does not say so itself. Empty when nothing is known.
std::string AdviceOn(const absl::Status& status) {
  if (ExitCodeOf(status) == kUnreachable) {
    const bool none_runs = std::string(status.message()).starts_with("no stack ");
    return none_runs ? "start a stack with `tidemill up`"
                     : "`tidemill status` says which services answer";
  }
  // Files that may not be read or written have nothing to do with the token.
  if (absl::IsUnauthenticated(status)) {
    return "the token file is read from the stack's state folder; see --state";
  }
  return "";
}

void Say(const std::string& message, const std::string& advice) {
  std::fflush(stdout);  // Both may go to one file.
  fmt::print(stderr, "tidemill: {}\n", Printable(message));
  if (!advice.empty()) fmt::print(stderr, "  {}\n", advice);
}

}  // namespace

const std::vector<ExitCodeMeaning>& ExitCodeMeanings() {
  static const std::vector<ExitCodeMeaning> meanings = {
      {kDone, "done", "done, or the pipeline succeeded"},
      {kFailed, "failed", "the pipeline or the command failed, or its output could not be written"},
      {kUsage, "usage", "usage: unknown flags or arguments"},
      {kInvalid, "invalid", "the pipeline file is not valid"},
      {kNotFound, "not_found", "no such run, pipeline, dataset or model"},
      {kUnreachable, "unreachable",
       "no stack, or it did not answer in time; trying again may help"},
      {kNotAllowed, "not_allowed", "the token, or the mode of a file, does not allow this"},
      {kConflict, "conflict",
       "conflict: the name is taken by something else, or the state forbids it"},
      {kPartial, "partial",
       "finished with losses: no trigger fired, triggers were skipped, decisions or "
       "selections of a plug-in failed and others were made in their place, evaluations failed, or "
       "records were left out, quarantined or damaged"},
      {kInterrupted, "interrupted",
       "detached by Ctrl-C; the run continues, but the runs of a sweep are stopped"},
  };
  return meanings;
}

const char* NameOf(ExitCode code) {
  const auto& meanings = ExitCodeMeanings();
  const auto found = std::ranges::find(meanings, static_cast<int>(code), &ExitCodeMeaning::code);
  TIDEMILL_CHECK(found != meanings.end());
  return found->name;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  // Waiting for a service does not free disk space.
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

void SetErrorsAsJson(bool as_json) { IsJson() = as_json; }

bool ErrorsAreJson() { return IsJson(); }

ExitCode Report(const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  if (code == kDone) return code;
  ReportNonFatal(status);
  if (!ErrorsAreJson()) return code;
  PrintErrorJson({.code = code,
                  .message = std::string(status.message()),
                  .advice = AdviceOn(status),
                  .findings = config::FindingsOf(status)});
  return code;
}

ExitCode ReportUsage(const std::string& message, const std::string& advice) {
  Say(message, advice);
  if (ErrorsAreJson()) PrintErrorJson({.code = kUsage, .message = message, .advice = advice});
  return kUsage;
}

void ReportNonFatal(const absl::Status& status) {
  Say(std::string(status.message()), AdviceOn(status));
}

}  // namespace tidemill::cli
