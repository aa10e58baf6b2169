// A private PostgreSQL server that is reached by a UNIX socket only.
//
//   ASSIGN_OR_RETURN(const auto postgres, db::PrivatePostgres::Start(folder,
//   "/tmp/tidemill-x-db")); ASSIGN_OR_RETURN(const auto database,
//   db::Database::Connect(postgres->ConnectionString()));
//
// Every user who can enter the socket's folder, which has mode 0700, is the superuser of the
// cluster. There are no passwords.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "db/running_server.h"

namespace tidemill::db {

// A running server. It outlives this object and, by default, this process: Start() finds it again.
// Thread-safe.
class PrivatePostgres {
 public:
  struct Options {
    // Whether commits survive a power failure. Off only for tests.
    bool durable = true;
    // Whether the server is a child of this process, which must wait for it. It then ends when the
    // calling thread ends, even by SIGKILL. A server that already runs is ended first, by SIGKILL
    // if necessary. When false, the server outlives both.
    bool ends_with_caller = false;
    // A folder of template clusters, made on first use; new clusters are copies of these. Empty
    // when initdb makes each. Only for tests (cluster_template.h).
    std::string templates = {};
  };

  // Makes a cluster with data checksums in `folder` on first use (under 1 s), starts its server if
  // it is not running, waits until it answers, and creates the database `tidemill`. Recovers from a
  // server that was killed, and replaces one that is shutting down or hangs while shutting down.
  // When this process is root, the server runs as user `postgres`, which then owns both folders.
  // FAILED_PRECONDITION when there is no PostgreSQL 15 or newer, or when that user cannot reach a
  // folder. INVALID_ARGUMENT when the socket folder is too long for a socket. INTERNAL, with the
  // end of its log, when the server does not start.
  static absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start(const std::string& folder,
                                                                const std::string& socket_folder,
                                                                const Options& options);
  static absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start(const std::string& folder,
                                                                const std::string& socket_folder) {
    return Start(folder, socket_folder, Options());
  }

  // Returns the connection string of the database `tidemill`, or of another one of the same server.
  std::string ConnectionString(const std::string& database = "tidemill") const;

  // Ends sessions and the server, if necessary by SIGKILL, and waits for their end. OK when the
  // server is not running.
  absl::Status Stop() const;

  // Whether the server has not ended.
  bool IsRunning() const { return Runs(server_); }

  // The process id of the server.
  pid_t process() const { return server_.process; }

 private:
  PrivatePostgres(RunningServer server, pid_t sync_process)
      : server_(std::move(server)), sync_process_(sync_process) {}
  // Waits for the process that writes a fresh cluster to the disk; ends it if it takes too long.
  void AwaitSync() const;

  const RunningServer server_;
  const pid_t sync_process_;  // 0 when the cluster existed.
};

}  // namespace tidemill::db
