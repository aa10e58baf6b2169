// `--set training.optimizer.lr=1e-3`: values that replace those of a pipeline file.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"
#include "config/documents/source.h"

namespace tidemill::cli {

// Adds `--set KEY=VALUE`, which may be given several times. `texts` must outlive the tree.
void AddSetFlag(Command& command, std::vector<std::string>& texts);

// Adds it for a command that replaces something else than values of its pipeline file: `meaning`.
void AddSetFlag(Command& command, std::vector<std::string>& texts, const std::string& meaning);

// Returns what the flags say, in order. A text without '=' is a wrong usage, which the command line
// has refused.
std::vector<config::Override> OverridesOf(const std::vector<std::string>& texts);

}  // namespace tidemill::cli
