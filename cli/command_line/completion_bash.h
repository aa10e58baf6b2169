// Completion for bash. The commands and flags stand in the script; runs, datasets, pipelines,
// models and services are asked of `tidemill __complete` when Tab is pressed.
#pragma once

#include <string>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// The script that `tidemill completion bash` prints.
std::string BashCompletion(const CommandInfo& root);

}  // namespace tidemill::cli
