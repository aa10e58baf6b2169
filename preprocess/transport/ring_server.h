// The worker's end of links by shared memory.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/local_socket.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "preprocess/transport/outbox.h"
#include "rpc/tokens.h"

namespace tidemill::preprocess {

// Serves rings on a UNIX socket of mode 0600 to processes of the same user that show a token which
// ReadBatches admits, until it is destroyed. Thread-safe.
//
// A link has a thread, which waits for the outbox, for the consumer and for neither while there is
// work, and a ring of the size that the consumer asked for, whose memory it takes as it is used. It
// is gone with the two processes, whatever ends them: nothing of it has a name in a file system.
class RingServer {
 public:
  // Further consumers are turned away, to frames.
  static constexpr size_t kMaxSessions = 256;

  // UNAVAILABLE when the path cannot be bound. `provider` must outlive it.
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
  const Descriptor wake_;  // Readable once it is to end.
  WorkerPool thread_;      // Last: it ends first.
};

}  // namespace tidemill::preprocess
