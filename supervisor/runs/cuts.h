// Converts and compares cuts in C++ and in messages.
#pragma once

#include <tuple>

#include "base/time.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::supervisor {

inline rpc::v1::Cut ToProto(const Cut& cut) {
  rpc::v1::Cut proto;
  proto.set_event_time(cut.event_time.micros);
  proto.set_sample_key(cut.sample_key.value);
  return proto;
}

inline Cut FromProto(const rpc::v1::Cut& proto) {
  return {{proto.event_time()}, {proto.sample_key()}};
}

// The key by which cuts are compared.
inline auto Place(const rpc::v1::Cut& cut) {
  return std::tuple(cut.event_time(), cut.sample_key());
}

}  // namespace tidemill::supervisor
