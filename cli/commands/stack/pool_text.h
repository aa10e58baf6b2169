// The members of a stack's pool, and the jobs that run or wait there, for people and programs.
#pragma once

#include <cstdint>
#include <string>

#include "nlohmann/json_fwd.hpp"

#include "tidemill/supervisor/v1/pool.pb.h"

namespace tidemill::cli {

// Returns a table of members and, if there are any, one of the jobs. `now` is in microseconds.
std::string DescribePool(const supervisor::v1::GetPoolResponse& pool, int64_t now, bool paint);

// {"members": [{"name", "kind", "state", "why", "endpoint", "labels": {...}, "last_seen",
//               "slots": [{"device", "count", "model", "memory_bytes"}]}],
//  "running": [{"placement", "run", "stage", "number", "pipeline", "priority", "share", "device",
//               "slots", "labels", "asked_at", "member", "devices", "given_at"}],
//  "waiting": [the same, without the last three, and "waits_for"],
//  "engines": [see engine_text.h; absent without an engine]}.
nlohmann::ordered_json PoolToJson(const supervisor::v1::GetPoolResponse& pool);
nlohmann::ordered_json MemberToJson(const supervisor::v1::Member& member);

}  // namespace tidemill::cli
