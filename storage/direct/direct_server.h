// Direct reads: gives clients on the same host descriptors of data files and the places of records
// in them (docs/formats/direct_reads.md).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "rpc/access/tokens.h"
#include "storage/direct/direct_session.h"
#include "storage/index/sample_index.h"

namespace tidemill::storage {

struct DirectServerOptions {
  std::string path = {};  // The path of the socket.
  rpc::Tokens tokens = {};
  // The payload bytes of one answer.
  int64_t block_bytes = int64_t{2} << 20;
};

// Serves until it is destroyed. Thread-safe.
//
// No client waits for another client. Each of a few threads serves its connections in turn, and
// does only work that can be done without waiting. The server does not use the database, so it
// cannot answer for a dataset that is not in memory. There are at most kMaxSessions connections,
// each of at most a megabyte. The connection that was idle for the longest time makes room for a
// new one.
class DirectServer {
 public:
  static constexpr size_t kNumThreads = 2;
  static constexpr size_t kMaxSessions = 64;

  // UNAVAILABLE when the path cannot be bound. `indexes`, and `files` with the data files, must
  // outlive this object.
  static absl::StatusOr<std::unique_ptr<DirectServer>> Start(DirectServerOptions options,
                                                             SampleIndex& indexes,
                                                             FileSystem& files);
  ~DirectServer();

 private:
  DirectServer(DirectServerOptions options, SampleIndex& indexes, FileSystem& files,
               LocalSocket listening, Descriptor wake);

  const DirectServerOptions options_;
  const DirectSource source_;
  const LocalSocket listening_;
  const Descriptor wake_;  // Readable once the server must stop.
  WorkerPool threads_;     // The last member: the threads end first.
};

}  // namespace tidemill::storage
