// The pipeline of a command that names none.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::cli {

// What is run where no file is named.
inline constexpr char kDefaultPipeline[] = "pipeline.yaml";

// Returns the path of `pipeline.yaml` in the current folder, or, where there is none, that of the
// quickstart, which is installed beside the programs. NOT_FOUND when there is neither.
absl::StatusOr<std::string> DefaultPipelineFile();

}  // namespace tidemill::cli
