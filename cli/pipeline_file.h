// A pipeline file on the user's disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/status.h"
#include "supervisor/pipeline_spec.h"

namespace tidemill::cli {

struct PipelineFile {
  std::string name;         // As the user wrote it.
  std::string folder = {};  // Absolute; relative dataset paths start here.
  std::string text = {};
  // What `${NAME}` may stand for: TIDEMILL_DATA, when it is set.
  std::map<std::string, std::string> variables = {};

  // Folders that storage must be able to read for this pipeline: its own, and TIDEMILL_DATA.
  std::vector<std::string> DataRoots() const;
};

// NOT_FOUND when there is no such file; INVALID_ARGUMENT when it is too large.
absl::StatusOr<PipelineFile> ReadPipelineFile(const std::string& path);

// The spec, and every problem that can be found without a stack.
config::Decoded<supervisor::PipelineSpec> CheckPipelineFile(const PipelineFile& file);

// Prints problems: text on stderr, or {"valid": false, "problems": [...]} on stdout. Returns the
// exit code.
int ReportProblems(const config::Problems& problems, bool json);

}  // namespace tidemill::cli
