// The meaning of the `tidemill` command's exit status, and how a command says why it failed.
// docs/reference/exit_codes.md documents both.
#pragma once

#include <string>
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
  kInterrupted = 130,  // Detached by Ctrl-C; the run continues.
};

struct ExitCodeMeaning {
  int code;
  const char* name;  // In the JSON of errors: "not_found".
  const char* meaning;
};
// Returns every exit code of the commands, for the manual and the reference.
const std::vector<ExitCodeMeaning>& ExitCodeMeanings();

// Returns the name of an exit code.
const char* NameOf(ExitCode code);

// Returns the exit code for the kind of a status.
ExitCode ExitCodeOf(const absl::Status& status);

// Whether Report() and ReportUsage() also print the error on stdout, as JSON
// (error_json.h). For --json.
void SetErrorsAsJson(bool as_json);
bool ErrorsAreJson();

// Prints "tidemill: <message>" on stderr and, if known, the remedy. Returns ExitCodeOf(status). The
// command fails because of it.
ExitCode Report(const absl::Status& status);

// Does the same for a wrong usage. Returns kUsage.
ExitCode ReportUsage(const std::string& message, const std::string& advice = "");

// Prints a failure on stderr that does not change the result of the command.
void ReportNonFatal(const absl::Status& status);

}  // namespace tidemill::cli
