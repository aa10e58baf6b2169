// Writes the times of a run for programs: RFC 3339 in UTC.
#pragma once

#include <string>

#include "google/protobuf/timestamp.pb.h"

#include "base/time.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

inline std::string TimeOf(const rpc::v1::Cut& cut) { return FormatTimestamp({cut.event_time()}); }

inline std::string TimeOf(const google::protobuf::Timestamp& time) {
  return FormatTimestamp({time.seconds() * 1'000'000 + time.nanos() / 1000});
}

}  // namespace tidemill::cli
