// The local stack: a private PostgreSQL and one process per service, on this machine, for this
// user, behind UNIX sockets. Everything it keeps lies in one state folder.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::cli {

// The services of a stack, in the order in which they depend on each other.
inline constexpr const char* kServices[] = {"storage",    "selector",          "model_store",
                                            "preprocess", "preprocess_worker", "trainer_server",
                                            "evaluator",  "supervisor"};

// The file name of a service's program: "tidemill-model-store".
std::string ProgramNameOf(const std::string& service);

// Where a stack keeps what. Thread-compatible; immutable.
struct StackLayout {
  std::string state_folder;     // Absolute.
  std::string sockets_folder;   // Short, so that a socket's path fits in 108 bytes.
  std::string database_folder;  // The private PostgreSQL's files.
  std::string database_sockets_folder;

  std::string ConfigFile() const;
  std::string TokenFile() const;
  std::string LockFile() const;
  // Held by the keeper as well, for when its state folder is removed or moved from under it.
  std::string SocketsLockFile() const;
  std::string DataRootsFile() const;  // Folders that datasets may lie in, one a line.
  std::string LogFile(const std::string& service) const;
  std::string EndpointOf(const std::string& service) const;  // "unix:/..."
};

// The layout for a state folder; empty: TIDEMILL_STATE, or the user's state folder
// (/var/lib/tidemill for root, else XDG_STATE_HOME/tidemill or ~/.local/state/tidemill).
absl::StatusOr<StackLayout> LayoutOf(const std::string& state_folder);

// The process that keeps the stack alive, if there is one: the holder of the lock file.
std::optional<int> KeeperOf(const StackLayout& layout);

// A keeper whose state folder is not in its place any more, but whose services still hold the
// sockets. It notices, ends them and then itself.
std::optional<int> StrayKeeperOf(const StackLayout& layout);

// Lets the stack's storage read datasets below `folders`, now and after a restart. Folders that are
// allowed already stay.
absl::Status AllowDataRoots(const StackLayout& layout, const std::vector<std::string>& folders);

// How many preprocessing workers the stack has: TIDEMILL_WORKERS, or 1. INVALID_ARGUMENT for a text
// that is no number from 1 to 100.
absl::StatusOr<int64_t> NumWorkers();

// Starts the keeper in the background unless one runs, and waits until every service answers.
// Returns whether it was this call that started it. Should this process end before, the keeper ends
// what it has started. UNAVAILABLE names the service that does not answer, and its log file;
// FAILED_PRECONDITION for a state folder that cannot be written or whose database is not its own.
absl::StatusOr<bool> StartStack(const StackLayout& layout,
                                std::chrono::milliseconds patience = std::chrono::seconds{30});

// Ends the keeper and with it the stack, also one whose state folder is gone; OK when none runs.
absl::Status StopStack(const StackLayout& layout);

// FAILED_PRECONDITION when nothing can be written to the state folder.
absl::Status CheckWritable(const StackLayout& layout);

// FAILED_PRECONDITION unless the folder is this user's alone: a folder of somebody else's making
// below /tmp could hold sockets of somebody else's services.
absl::Status CheckOwner(const std::string& folder);

// Whether a service accepts connections.
bool Answers(const StackLayout& layout, const std::string& service);

}  // namespace tidemill::cli
