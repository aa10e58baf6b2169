// Completion of a command line, from the tree of commands. A shell hands over the words up to the
// cursor, `tidemill __complete -- WORD...`, and shows what comes back:
//
//   stop<TAB>Stop a run; it can be resumed     a word, and what it is
//   :files, :folders                           names that the shell itself finds
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/command_tree.h"

namespace tidemill::cli {

// What may follow.
struct Completion {
  // Words, and what each is. The shell offers those that begin as the last word does.
  std::vector<std::pair<std::string, std::string>> words;
  // What else: a kind of which `words` has no names, such as files, or the runs of a stack.
  ValueKind others = ValueKind::kNone;
  // The flags with values that the line has, such as those that say which stack to ask.
  std::map<std::string, std::string> flags;
};

// Completes the last of the words that follow the program's name. It may be empty.
Completion Complete(const CommandInfo& root, const std::vector<std::string>& words);

// Returns the script of bash, zsh or fish that asks `tidemill __complete`.
std::string CompletionScript(const std::string& shell);

}  // namespace tidemill::cli
