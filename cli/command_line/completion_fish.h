// Completion for fish. The script contains the commands and flags. When Tab is pressed, it asks
// `tidemill __complete` for runs, datasets, pipelines, models and services.
#pragma once

#include <string>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// Returns the script that `tidemill completion fish` prints.
std::string FishCompletion(const CommandInfo& root);

}  // namespace tidemill::cli
