// What is wrong with a command line, in words that name it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// The first word that the commands do not know, and what may be meant by it: "'tidemill runs list'
// has no option '--pipelin'; did you mean '--pipeline'?". `words` come behind the program's name.
// std::nullopt where each is known, so that something else is wrong.
std::optional<std::string> FindUnknownWord(const CommandInfo& root,
                                           const std::vector<std::string>& words);

}  // namespace tidemill::cli
