// The worker's end of links by shared memory.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "preprocess/transport/outbox.h"
#include "rpc/access/tokens.h"

namespace tidemill::preprocess {

// Serves rings on a UNIX socket of mode 0600 until it is destroyed. It serves processes of the same
// user that present a token which ReadBatches accepts. Thread-safe.
//
// Each link has a thread and a ring. The thread waits for the outbox and for the consumer when
// there is no work. The ring has the size that the consumer asked for, and takes memory as it is
// used. The ring is gone with the two processes, however they end, because it has no name in a file
// system.
class RingServer {
 public:
  // Further consumers are refused, and use frames.
  static constexpr size_t kMaxSessions = 256;

  // UNAVAILABLE when the path cannot be bound. `provider` must outlive this object.
  static absl::StatusOr<std::unique_ptr<RingServer>> Start(const std::string& path,
                                                           const rpc::Tokens& tokens,
                                                           OutboxProvider& provider);
  ~RingServer();

 private:
  RingServer(std::string path, rpc::Tokens tokens, OutboxProvider& provider, LocalSocket listening,
             Descriptor wake);
  void Loop();

  const std::string path_;
  const rpc::Tokens tokens_;
  OutboxProvider& provider_;
  const LocalSocket listening_;
  const Descriptor wake_;  // Readable once the server must stop.
  WorkerPool thread_;      // The last member: it ends first.
};

}  // namespace tidemill::preprocess
