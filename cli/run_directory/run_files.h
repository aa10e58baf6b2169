// The files of a run directory.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "cli/results/run_record.h"

namespace tidemill::cli {

// By path within the directory, as docs/formats/run_directory.md lists them. A pure function of the
// record, but for the name of the TensorBoard file, which holds this machine's.
std::map<std::string, std::string> RunFiles(const RunRecord& record);

// Writes the files beside `folder` and puts them in its place at once: whoever looks finds the
// directory that was there before or the new one, whole. FAILED_PRECONDITION when `folder` holds
// something that is no run directory.
absl::Status PublishFolder(const std::string& folder,
                           const std::map<std::string, std::string>& files);

// Fetches the run and publishes its directory at `folder`, or, where that is empty, at
// `<state>/runs/<pipeline>/<run>` with a link `latest` beside it. Returns the folder.
absl::StatusOr<std::string> PullRun(const Session& session, int64_t run, const std::string& folder);

}  // namespace tidemill::cli
