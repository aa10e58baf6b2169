// Describes the machine on which trainings run.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

// Writes to a folder, as kMachineFile, what the weights of a training on a CPU depend on beside its
// spec and its data. The program is that of this process.
absl::Status DescribeMachine(const std::string& folder);

}  // namespace tidemill::trainer_server
