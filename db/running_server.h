// The server process of a cluster, found by its data folder, and how it is ended when whoever
// started it is gone.
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
  // When the kernel started it, in ticks since the machine's start: another process that gets the
  // same number later has another one.
  uint64_t start = 0;
  std::string socket_folder;  // Empty when its file does not say it yet.
  // Whether it has been told to end. It lets nobody in any more, and whoever asks keeps it.
  bool is_stopping = false;

  friend bool operator==(const RunningServer&, const RunningServer&) = default;
};

// Returns what identifies a process that has just been started. `start` is 0 when it has ended.
RunningServer ServerOf(pid_t process, std::string socket_folder);

// Returns the server that `data_folder`/postmaster.pid names. std::nullopt when that process has
// ended, or is not a server of this folder because another program got its number.
absl::StatusOr<std::optional<RunningServer>> FindServer(const std::string& data_folder);

// Whether it has not ended.
bool Runs(const RunningServer& server);

// How long a server may take to end after each signal.
struct EndPatience {
  std::chrono::milliseconds fast{20'000};       // SIGINT: ends sessions and writes a checkpoint.
  std::chrono::milliseconds immediate{20'000};  // SIGQUIT: leaves the work to the next start.
};

// Ends a server and waits for its end: SIGINT, SIGQUIT, at last SIGKILL. None of them loses a
// commit. Never signals a process that only has the number of the server. DEADLINE_EXCEEDED when
// even SIGKILL does not end it.
absl::Status EndServer(const RunningServer& server, const EndPatience& patience);

// Waits until no process of PostgreSQL works in `data_folder`: sessions of a server that was killed
// end by themselves, and those that do not within `patience` are ended. UNAVAILABLE names one that
// cannot be ended.
absl::Status AwaitSessions(const std::string& data_folder, std::chrono::milliseconds patience);

}  // namespace tidemill::db
