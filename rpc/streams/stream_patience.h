// Decides when to retry a broken stream, and when to give up.
#pragma once

#include <chrono>
#include <optional>

#include "grpcpp/channel.h"

#include "base/status.h"
#include "rpc/channel.h"

namespace tidemill::rpc {

// Tries again while the service is UNAVAILABLE, or has no room for another stream
// (RESOURCE_EXHAUSTED). It gives up when that has lasted for the peer's deadline without a message.
// Time in which the caller did not wait for a message does not count. Belongs to one call of a
// client, and to its thread.
class StreamPatience {
 public:
  // Both must outlive this object.
  StreamPatience(const Peer& peer, grpc::Channel& channel);

  // Records that a message has arrived.
  void Arrived();

  // Waits until another attempt is useful. When it is time to give up, returns `broken`, the reason
  // why the last attempt ended. CANCELLED when the peer is stopped.
  absl::Status Wait(const absl::Status& broken);

 private:
  using Clock = std::chrono::steady_clock;

  const Peer& peer_;
  grpc::Channel& channel_;
  std::optional<Clock::time_point> broken_since_;  // Since the last message.
  std::chrono::milliseconds pause_;
};

}  // namespace tidemill::rpc
