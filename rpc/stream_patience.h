// When a stream that broke is tried again, and when it is given up.
#pragma once

#include <chrono>
#include <optional>

#include "grpcpp/channel.h"

#include "base/status.h"
#include "rpc/channel.h"

namespace tidemill::rpc {

// Tries again while the service is UNAVAILABLE, or has no room for another stream
// (RESOURCE_EXHAUSTED), until that has lasted for the peer's deadline without a message. Time in
// which the caller asked for nothing does not count: it may stand still as long as it likes.
// Belongs to one call of a client, and to its thread.
class StreamPatience {
 public:
  // Both must outlive it.
  StreamPatience(const Peer& peer, grpc::Channel& channel);

  // A message has arrived.
  void Arrived();

  // Waits until another attempt is worth it. Returns `broken`, why the last one ended, when there
  // is to be none; CANCELLED when the caller wants no more.
  absl::Status Wait(const absl::Status& broken);

 private:
  using Clock = std::chrono::steady_clock;

  const Peer& peer_;
  grpc::Channel& channel_;
  std::optional<Clock::time_point> broken_since_;  // Since the last message.
  std::chrono::milliseconds pause_;
};

}  // namespace tidemill::rpc
