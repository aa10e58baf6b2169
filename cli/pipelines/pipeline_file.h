// A pipeline file on the user's disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/pipeline/pipeline_check.h"

namespace tidemill::cli {

struct PipelineFile {
  std::string name;         // As the user wrote it.
  std::string folder = {};  // Absolute; relative dataset paths start here.
  std::string text = {};
  // What `${NAME}` may stand for: TIDEMILL_DATA, when it is set.
  std::map<std::string, std::string> variables = {};
  // Its data need not be on this machine: they are looked at where they are, at submission.
  bool data_elsewhere = false;

  // Folders that storage must be able to read for this pipeline: its own, and TIDEMILL_DATA.
  std::vector<std::string> DataRoots() const;
};

// NOT_FOUND when there is no such file; INVALID_ARGUMENT when it is too large.
absl::StatusOr<PipelineFile> ReadPipelineFile(const std::string& path);

// The files that the pipeline names beside its data, below its folder and TIDEMILL_DATA.
supervisor::DiskFiles FilesOf(const PipelineFile& file);

// The spec, and every problem that can be found without a stack. `files` then has what is to be
// sent.
supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file,
                                              supervisor::DiskFiles& files);
supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file);

// Prints problems: text on stderr, or {"valid": false, "problems": [...]} on stdout. Returns the
// exit code.
int ReportProblems(const config::Problems& problems, bool json);

// Prints a line on stderr for each warning: its place, what it is about and what to do.
void PrintWarnings(const config::Problems& warnings);

}  // namespace tidemill::cli
