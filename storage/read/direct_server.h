// Direct reads: hands clients on the same host descriptors of data files and says where in them the
// records lie (docs/formats/direct_reads.md).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/local_socket.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "rpc/tokens.h"
#include "storage/index/sample_index.h"
#include "storage/read/direct_session.h"

namespace tidemill::storage {

struct DirectServerOptions {
  std::string path = {};  // Of the socket.
  rpc::Tokens tokens = {};
  // Payload bytes that one answer is about.
  int64_t block_bytes = int64_t{2} << 20;
};

// Serves until it is destroyed. Thread-safe.
//
// Nobody waits for another client: a few threads, each of which does for its connections what can
// be done at once. It does not touch the database: a dataset that is not in memory is not answered
// for. At most kMaxSessions connections, the longest idle one making room for a new one; each
// costs a megabyte at most.
class DirectServer {
 public:
  static constexpr size_t kNumThreads = 2;
  static constexpr size_t kMaxSessions = 64;

  // UNAVAILABLE when the path cannot be bound. `indexes` must outlive it.
  static absl::StatusOr<std::unique_ptr<DirectServer>> Start(DirectServerOptions options,
                                                             SampleIndex& indexes);
  ~DirectServer();

 private:
  DirectServer(DirectServerOptions options, SampleIndex& indexes, LocalSocket listening,
               Descriptor wake);

  const DirectServerOptions options_;
  const DirectSource source_;
  const LocalSocket listening_;
  const Descriptor wake_;  // Readable once it is to end.
  WorkerPool threads_;     // Last: they end first.
};

}  // namespace tidemill::storage
