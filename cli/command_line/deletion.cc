#include "cli/command_line/deletion.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "nlohmann/json.hpp"

#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

bool SomebodyCanAnswer() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

bool SaysYes() {
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

void AddDeletionFlags(Command& command, DeletionFlags& flags) {
  command.AddFlag("-y,--yes", flags.yes, "Do not ask; without a terminal, the command never asks");
  command.AddFlag("--dry-run", flags.dry_run, "Only say what would be deleted");
}

std::optional<ExitCode> SettleDeletion(const GlobalFlags& global, const DeletionFlags& flags,
                                       const std::string& what) {
  if (flags.dry_run) {
    fmt::print("{}\n", global.json ? nlohmann::ordered_json({{"would_delete", what}}).dump()
                                   : "would delete " + Printable(what) + "; nothing was deleted");
    return kDone;
  }
  if (flags.yes || !SomebodyCanAnswer()) return std::nullopt;
  PrintToStderr(fmt::format("delete {}? [y/N] ", Printable(what)));
  if (SaysYes()) return std::nullopt;
  PrintToStderr("nothing was deleted\n");
  return kDone;
}

}  // namespace tidemill::cli
