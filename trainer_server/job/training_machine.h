// Describes the machine on which trainings run.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

// Writes kMachineFile to a folder: the properties of the machine and of this program on which the
// weights of a training on a CPU depend, besides its spec and its data.
absl::Status DescribeMachine(const std::string& folder);

}  // namespace tidemill::trainer_server
