// The options of commands that list runs or models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line/action.h"

namespace tidemill::cli {

struct ListFlags {
  std::string pipeline;
  std::vector<std::string> states;
  std::vector<std::string> tags;
  std::string sort;  // A key, or a key after "-". Empty for the default.
  bool reverse = false;
  int64_t limit = 30;
  std::string format = "table";

  // "score" of "-score".
  std::string SortKey() const;
  // Whether the list goes from the greatest value to the smallest one. `by_default` is the answer
  // without a key.
  bool IsDescending(bool by_default) const;
};

// Adds --pipeline, --only, --tag, --sort, --reverse, --limit and -o. `states` and `keys` are the
// values that --only and --sort take. `what` is what is listed: "runs".
void AddListFlags(Command& command, ListFlags& flags, const std::string& what,
                  const std::vector<std::string>& states, const std::vector<std::string>& keys);

// Takes --json for `-o json`, and `--state failed` for a filter where the word is one of `states`.
// Otherwise --state names the folder of a stack, as in every command. INVALID_ARGUMENT when there
// is no such folder but the word resembles a state, and for --json with another format.
absl::Status SettleListFlags(const std::vector<std::string>& states, GlobalFlags& global,
                             ListFlags& flags);

}  // namespace tidemill::cli
