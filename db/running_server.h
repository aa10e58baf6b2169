// Finds the server process of a cluster by its data folder, and ends a server whose starter is
// gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace tidemill::db {

// A server that runs on a cluster. A value.
struct RunningServer {
  pid_t process = 0;
  // When the kernel started it, in ticks since the machine's start. A later process with the same
  // id has another start.
  uint64_t start = 0;
  std::string socket_folder;  // Empty while its file does not name the folder yet.
  // Whether it is shutting down. It then refuses connections, and each attempt to connect keeps it
  // alive.
  bool is_stopping = false;

  friend bool operator==(const RunningServer&, const RunningServer&) = default;
};

// Returns the identity of a process that has just been started. `start` is 0 when it has ended.
RunningServer ServerOf(pid_t process, std::string socket_folder);

// Returns the server that `data_folder`/postmaster.pid names. std::nullopt when that process has
// ended, or when another program now has its process id.
absl::StatusOr<std::optional<RunningServer>> FindServer(const std::string& data_folder);

// Whether it has not ended.
bool Runs(const RunningServer& server);

// How long a server may take to end after each signal.
struct EndPatience {
  std::chrono::milliseconds fast{20'000};       // SIGINT: ends sessions and writes a checkpoint.
  std::chrono::milliseconds immediate{20'000};  // SIGQUIT: leaves the work to the next start.
};

// Ends a server and waits for its end: SIGINT, SIGQUIT, at last SIGKILL. None of them loses a
// commit. Never signals another process that has got the server's process id. DEADLINE_EXCEEDED
// when even SIGKILL does not end it.
absl::Status EndServer(const RunningServer& server, const EndPatience& patience);

// Waits until no process of PostgreSQL works in `data_folder`: sessions of a server that was killed
// end without help, and sessions that have not ended within `patience` are killed. UNAVAILABLE
// names a session that cannot be killed.
absl::Status AwaitSessions(const std::string& data_folder, std::chrono::milliseconds patience);

}  // namespace tidemill::db
