// One consumer's ring, on the worker's side.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "base/local_socket.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "preprocess/transport/outbox.h"
#include "preprocess/transport/ring_packets.h"
#include "preprocess/transport/ring_writer.h"
#include "rpc/tokens.h"

namespace tidemill::preprocess {

// Serves a connection on a thread of its own, from the request on. The destructor ends it: the
// consumer reads UNAVAILABLE. Thread-safe.
class RingSession {
 public:
  // Both references must outlive it.
  RingSession(LocalSocket socket, const rpc::Tokens& tokens, OutboxProvider& provider);
  ~RingSession();

  // The consumer is gone or has got everything.
  bool is_over() const { return is_over_.load(); }

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  absl::StatusOr<RingRequest> AwaitRequest();
  // Checks the request, makes a ring and opens the outbox.
  RingAnswer Admit();
  // Until the link is over; returns why.
  absl::Status Serve();
  // Puts as many messages into the ring as there is room for.
  absl::Status Send();
  // Of those that were taken out of the outbox and found no room.
  absl::Status SendHeld();
  absl::StatusOr<bool> SendOne(const BatchMessage& message);
  bool HasConsumer();

  const LocalSocket socket_;
  const rpc::Tokens& tokens_;
  OutboxProvider& provider_;
  std::shared_ptr<RingWriter> writer_;  // Shared with the outbox's listener.
  std::shared_ptr<Outbox> outbox_;
  std::deque<BatchMessage> held_;
  Clock::time_point next_look_ = {};  // At the socket.
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_over_ = false;
  Mutex mutex_;
  std::weak_ptr<RingWriter> to_wake_ ABSL_GUARDED_BY(mutex_);
  WorkerPool thread_;  // Last: it ends first.
};

}  // namespace tidemill::preprocess
