// A PostgreSQL server of one's own, on a UNIX socket only.
//
//   ASSIGN_OR_RETURN(const auto postgres, db::PrivatePostgres::Start(folder,
//   "/tmp/tidemill-x-db")); ASSIGN_OR_RETURN(const auto database,
//   db::Database::Connect(postgres->ConnectionString()));
//
// Who may enter the socket's folder, mode 0700, is the superuser of the cluster: no passwords.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/status.h"

namespace tidemill::db {

// A running server. It outlives this object and, unless it is asked otherwise, this process:
// Start() finds it again. Thread-safe.
class PrivatePostgres {
 public:
  struct Options {
    // Commits survive a power failure. Off only for tests.
    bool durable = true;
    // The server is this process's child, who is to wait for it, and ends when the calling thread
    // does, even by SIGKILL. One that runs already is stopped first. Otherwise it outlives both.
    bool ends_with_caller = false;
  };

  // Makes a cluster in `folder` on first use (under 1 s), starts its server unless it runs, waits
  // until it answers and makes the database `tidemill` in it. Recovers from a server that was
  // killed. Where this process is root, the server runs as user `postgres`, and both folders are
  // given to it. FAILED_PRECONDITION when there is no PostgreSQL 15 or newer or that user cannot
  // reach a folder; INVALID_ARGUMENT for a socket folder too long for a socket; INTERNAL, with the
  // end of its log, when the server does not start.
  static absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start(const std::string& folder,
                                                                const std::string& socket_folder,
                                                                const Options& options);
  static absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start(const std::string& folder,
                                                                const std::string& socket_folder) {
    return Start(folder, socket_folder, Options());
  }

  // Of the database `tidemill`, or another one of the same server.
  std::string ConnectionString(const std::string& database = "tidemill") const;

  // Ends sessions and the server, and waits for that. OK when it does not run.
  absl::Status Stop() const;

  // The server's process.
  pid_t process() const { return process_; }

 private:
  PrivatePostgres(std::string socket_folder, pid_t process, pid_t sync_process)
      : socket_folder_(std::move(socket_folder)), process_(process), sync_process_(sync_process) {}
  absl::Status StopServer() const;
  // Lets what writes a fresh cluster to the disk end, or ends it.
  void AwaitSync() const;

  const std::string socket_folder_;
  const pid_t process_;
  const pid_t sync_process_;  // 0: the cluster was there.
};

}  // namespace tidemill::db
