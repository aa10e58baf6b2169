// The files that libtorch may look for when it is first needed, for who restricts files.
#pragma once

#include <string>
#include <vector>

namespace tidemill::models {

// The folder of its libraries, and where the kernel tells of processors.
std::vector<std::string> TorchFiles();

}  // namespace tidemill::models
