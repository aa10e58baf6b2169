// A pipeline file on the user's disk.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/checks/pipeline_check.h"
#include "supervisor/pipeline/disk_files.h"
#include "tidemill/supervisor/v1/run.pb.h"

namespace tidemill::cli {

struct PipelineFile {
  std::string name;         // As the user wrote it.
  std::string folder = {};  // An absolute path. Relative dataset paths are relative to it.
  std::string text = {};
  // The values of `${NAME}`: TIDEMILL_DATA, when it is set.
  std::map<std::string, std::string> variables = {};
  // Values of the command line that replace those of the text.
  std::vector<config::Override> overrides = {};
  // Whether its data may be on another machine. The data is then checked there, at submission.
  bool data_elsewhere = false;
  // The tags of its run, and the note on it.
  std::vector<std::string> tags = {};
  std::string note = {};
  // Whether its models answer for the pipeline although values are set.
  bool promote = false;
  // The place of its run in a sweep.
  std::optional<supervisor::v1::InSweep> in_sweep = {};

  // Returns the folders that storage must be able to read for this pipeline: its own, and
  // TIDEMILL_DATA.
  std::vector<std::string> DataRoots() const;
};

// NOT_FOUND when there is no such file. INVALID_ARGUMENT when it is too large. "-" is standard
// input, whose relative paths begin at the current folder.
absl::StatusOr<PipelineFile> ReadPipelineFile(const std::string& path);

// Returns the files that the pipeline names besides its data, below its folder and TIDEMILL_DATA.
supervisor::DiskFiles FilesOf(const PipelineFile& file);

// Returns the spec, and every problem that can be found without a stack. Afterwards `files` has the
// files that must be sent.
supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file,
                                              supervisor::DiskFiles& files);
supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file);

// Returns the problems for people. When painted, "error:" and the marks are coloured.
std::string PaintedProblems(const config::Problems& problems, bool paint);

// Prints problems: text on stderr, or {"valid": false, "problems": [...], "error": {...}} on
// stdout. Returns the exit code.
int ReportProblems(const config::Problems& problems, bool json);

// Prints a line on stderr for each warning: the place, the subject and the remedy.
void PrintWarnings(const config::Problems& warnings);

}  // namespace tidemill::cli
