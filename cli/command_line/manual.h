// Makes manual pages from the tree of commands.
#pragma once

#include <map>
#include <string>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// Maps a file name to its page: tidemill.1, and a page for each command, such as
// tidemill-runs-list.1.
std::map<std::string, std::string> ManualPages(const CommandInfo& root);

}  // namespace tidemill::cli
