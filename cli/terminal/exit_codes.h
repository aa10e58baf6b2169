// What the `tidemill` command's exit status means. Documented in docs/reference/exit_codes.md.
#pragma once

#include <vector>

#include "base/status.h"

namespace tidemill::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,         // The pipeline or the command failed, or its output was lost.
  kUsage = 2,          // Unknown flags or arguments.
  kInvalid = 3,        // The pipeline file is not valid.
  kNotFound = 4,       // No such run, pipeline, dataset or model.
  kUnreachable = 5,    // No stack, or it did not answer in time; trying again may help.
  kNotAllowed = 6,     // The token, or a file's mode, does not allow this.
  kConflict = 7,       // The name is taken by something else, or the state forbids it.
  kPartial = 8,        // Finished, but trainings, samples or evaluations were lost.
  kInterrupted = 130,  // Detached by Ctrl-C; the run goes on.
};

struct ExitCodeMeaning {
  int code;
  const char* meaning;
};
// Every code that a command may exit with, for the manual and the reference.
const std::vector<ExitCodeMeaning>& ExitCodeMeanings();

// The exit code that tells a status's kind.
ExitCode ExitCodeOf(const absl::Status& status);

// Prints "tidemill: <message>" and, where one is known, what to do about it, on stderr. Returns
// ExitCodeOf(status).
ExitCode Report(const absl::Status& status);

}  // namespace tidemill::cli
