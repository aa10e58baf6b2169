// Writes a network as TorchScript.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "models/network.h"

namespace tidemill::models {

// Writes the network, in evaluation mode, to `path`. `extra_files` are added to the file. A network
// that is a program of a user is written with its weights, and does not run.
absl::Status WriteTorchScript(const Network& network,
                              const std::map<std::string, std::string>& extra_files,
                              const std::string& path);

// Loads the file and runs it beside the network on generated batches of two sizes. INTERNAL unless
// both agree within the rounding of float32. Not for programs of users: it runs the file.
absl::Status CompareTorchScript(const Network& network, const std::string& path);

}  // namespace tidemill::models
