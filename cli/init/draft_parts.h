// Names and paths of a pipeline that is drafted.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"

namespace tidemill::cli {

// Returns the name of a pipeline over this file or folder: "Air Quality.csv" becomes "air_quality".
std::string NameFromPath(const std::string& path);

// Returns `path` of a dataset in `folder` for a pipeline in the file `output`. FAILED_PRECONDITION
// when the folder is neither below the pipeline's folder nor below TIDEMILL_DATA, because storage
// cannot read other folders.
absl::StatusOr<Guess> PathGuess(const std::string& folder, const std::string& output);

Guess FilesGuess(const SeenData& data);

}  // namespace tidemill::cli
