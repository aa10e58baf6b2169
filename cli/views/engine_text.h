// The processes that an engine starts and ends, for people and programs.
#pragma once

#include <cstdint>
#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/rpc/v1/engine.pb.h"

namespace tidemill::cli {

// Returns one line for the group, and one for each process: "slurm: 3 workers are wanted, 2 run, 1
// waits". `now` is in microseconds.
std::string DescribeEngine(const rpc::v1::EngineGroup& group, int64_t now);

// {"name", "backend", "wanted", "error", "last_end",
//  "processes": [{"number", "phase", "id", "reason", "host", "since", "member"}]}.
nlohmann::ordered_json EngineToJson(const rpc::v1::EngineGroup& group);

}  // namespace tidemill::cli
