// What a result of a benchmark was measured with.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::cli {

// {"processor", "cores", "memory_gib", "system", "version", "commit"}. `suite` is a folder of the
// sources; `commit` is null when it is in no clone.
nlohmann::ordered_json DescribeMachine(const std::string& suite);

}  // namespace tidemill::cli
