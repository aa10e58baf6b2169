// The files that libtorch may open when it is first used, for a process that restricts its files.
#pragma once

#include <string>
#include <vector>

namespace tidemill::models {

// Returns the folder of its libraries, and the folder in which the kernel describes processors.
std::vector<std::string> TorchFiles();

}  // namespace tidemill::models
