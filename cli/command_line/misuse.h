// Explains a mistake in a command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// Returns a sentence about the first unknown word, with the most similar known one: "'tidemill runs
// list' has no option '--pipelin'; did you mean '--pipeline'?". `words` are those after the
// program's name. std::nullopt when every word is known, so that the mistake is another one.
std::optional<std::string> FindUnknownWord(const CommandInfo& root,
                                           const std::vector<std::string>& words);

}  // namespace tidemill::cli
