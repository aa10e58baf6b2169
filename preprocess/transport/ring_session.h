// The worker's side of one consumer's ring.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/outbox.h"
#include "preprocess/transport/ring_writer.h"
#include "rpc/access/tokens.h"

namespace tidemill::preprocess {

// Serves a connection on its own thread, from the request on. The destructor ends it: the consumer
// gets UNAVAILABLE. Thread-safe.
class RingSession {
 public:
  // Both references must outlive this object.
  RingSession(LocalSocket socket, const rpc::Tokens& tokens, OutboxProvider& provider);
  ~RingSession();

  // Whether the consumer is gone or has received everything.
  bool is_over() const { return is_over_.load(); }

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  absl::StatusOr<RingRequest> AwaitRequest();
  // Checks the request, makes a ring and opens the outbox.
  RingAnswer Admit();
  // Serves until the link is over. Returns the reason.
  absl::Status Serve();
  // Puts as many messages into the ring as there is room for.
  absl::Status Send();
  // Sends messages that were taken from the outbox and found no room.
  absl::Status SendHeld();
  absl::StatusOr<bool> SendOne(const BatchMessage& message);
  bool HasConsumer();

  const LocalSocket socket_;
  const rpc::Tokens& tokens_;
  OutboxProvider& provider_;
  std::shared_ptr<RingWriter> writer_;  // The outbox's listener shares it.
  std::shared_ptr<Outbox> outbox_;
  std::deque<BatchMessage> held_;
  Clock::time_point next_look_ = {};  // When to look at the socket again.
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_over_ = false;
  Mutex mutex_;
  std::weak_ptr<RingWriter> to_wake_ ABSL_GUARDED_BY(mutex_);
  WorkerPool thread_;  // The last member: it ends first.
};

}  // namespace tidemill::preprocess
