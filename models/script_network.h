// Networks that are TorchScript files.
#pragma once

#include <string>

#include "models/network.h"

namespace tidemill::models {

// `program`: the bytes of the file. INVALID_ARGUMENT for something else.
absl::StatusOr<ModulePtr> MakeScript(std::string program);

}  // namespace tidemill::models
