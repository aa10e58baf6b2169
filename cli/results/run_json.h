// A run as the JSON object that `--json` prints.
#pragma once

#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "nlohmann/json_fwd.hpp"

#include "base/time.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Times for programs: RFC 3339 in UTC.
inline std::string TimeOf(const rpc::v1::Cut& cut) { return FormatTimestamp({cut.event_time()}); }

inline std::string TimeOf(const google::protobuf::Timestamp& time) {
  return FormatTimestamp({time.seconds() * 1'000'000 + time.nanos() / 1000});
}

// {"run", "pipeline", "state", "error", "triggers": [{"number", "at", "samples", "seconds", ...}],
//  "models", "evaluations": [{"model", "trigger", "dataset", "from", "to", "measure", "value",
//  "samples"}], "left_out" (see left_out.h), "composite": {"active": [...], "trained": [...]}}.
// Times are RFC 3339 in UTC. An undefined value is null.
nlohmann::ordered_json RunToJson(const supervisor::v1::GetRunResponse& run);

// Returns the object of one line of `runs list`.
nlohmann::ordered_json RunToJson(const supervisor::v1::Run& run);

// "running", "succeeded", "failed", "stopped".
std::string StateName(supervisor::v1::RunState state);

}  // namespace tidemill::cli
