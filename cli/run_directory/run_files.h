// The files of a run directory.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "cli/results/selections/run_record.h"

namespace tidemill::cli {

// Returns the files by their path in the directory, as docs/formats/run_directory.md lists them. It
// is a pure function of the record, except for the name of the TensorBoard file, which contains the
// name of this machine.
std::map<std::string, std::string> RunFiles(const RunRecord& record);

// Writes the files beside `folder` and replaces it at once. A reader finds either the earlier
// directory or the new one, whole. FAILED_PRECONDITION when `folder` exists and is not a run
// directory.
absl::Status PublishFolder(const std::string& folder,
                           const std::map<std::string, std::string>& files);

// Fetches the run and publishes its directory at `folder`. If `folder` is empty, that is
// `<state>/runs/<pipeline>/<run>`, with a link `latest` beside it. Returns the folder.
absl::StatusOr<std::string> PullRun(const Session& session, int64_t run, const std::string& folder);

}  // namespace tidemill::cli
