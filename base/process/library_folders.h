// Where the shared libraries of this process are.
#pragma once

#include <string>
#include <vector>

namespace tidemill::process {

// Returns the folders of the shared libraries that this process has loaded, each once. A program of
// the same build that may read them can be started.
std::vector<std::string> LibraryFolders();

}  // namespace tidemill::process
