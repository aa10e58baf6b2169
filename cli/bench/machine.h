// Describes the machine and the program that measured a benchmark.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::cli {

// {"processor", "cores", "memory_gib", "system", "version", "commit"}. `suite` is a folder of the
// sources; `commit` is null when the folder is not in a clone.
nlohmann::ordered_json DescribeMachine(const std::string& suite);

}  // namespace tidemill::cli
