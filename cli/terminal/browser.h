// Shows a file in the user's browser.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

// Returns the commands to try, in order: those of `browser`, which is $BROWSER
// ("firefox:w3m -N %s"), and xdg-open where there is a display.
std::vector<std::string> BrowserCommands(const std::string& browser, bool has_display);

// Does the same for this process: $BROWSER, and $DISPLAY or $WAYLAND_DISPLAY.
std::vector<std::string> BrowserCommands();

// Runs the first command that succeeds, with `path` for %s or as the last word, and waits for its
// end. No shell reads it. Returns the command. NOT_FOUND when there is none. INTERNAL says how the
// last one failed. Not thread-safe with changes of the environment.
absl::StatusOr<std::string> ShowInBrowser(const std::string& path,
                                          const std::vector<std::string>& commands);

}  // namespace tidemill::cli
