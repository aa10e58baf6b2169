// The local stack: a private PostgreSQL and one process per service, on this machine, for this
// user, behind UNIX sockets. All its data is in one state folder.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::cli {

// The services of a stack, in the order in which they depend on one another.
inline constexpr const char* kServices[] = {"storage",    "selector",          "model_store",
                                            "preprocess", "preprocess_worker", "trainer_server",
                                            "evaluator",  "supervisor"};

// Returns the file name of a service's program: "tidemill-model-store".
std::string ProgramNameOf(const std::string& service);

// Where a stack keeps its files. Thread-compatible; immutable.
struct StackLayout {
  std::string state_folder;     // Absolute.
  std::string sockets_folder;   // Short, so that a socket's path fits in 108 bytes.
  std::string database_folder;  // The private PostgreSQL's files.
  std::string database_sockets_folder;

  std::string ConfigFile() const;
  std::string TokenFile() const;
  std::string LockFile() const;
  // The keeper also holds this lock, in case its state folder is removed or moved.
  std::string SocketsLockFile() const;
  std::string DataRootsFile() const;  // The folders that datasets may be in, one per line.
  std::string LogFile(const std::string& service) const;
  std::string EndpointOf(const std::string& service) const;  // "unix:/..."
};

// How to treat a missing state folder.
enum class MissingFolder { kMake, kLeave };

// Returns the layout for a state folder. An empty one means TIDEMILL_STATE, or the user's state
// folder (/var/lib/tidemill for root, else XDG_STATE_HOME/tidemill or ~/.local/state/tidemill).
// INVALID_ARGUMENT when the path is not a folder, or TIDEMILL_STATE is empty.
absl::StatusOr<StackLayout> LayoutOf(const std::string& state_folder,
                                     MissingFolder missing = MissingFolder::kMake);

// Returns the folder in which the first start of a stack creates its database.
std::string FirstDatabaseFolder(const std::string& state_folder);

// Returns the process that keeps the stack alive, if there is one: the holder of the lock file.
std::optional<int> KeeperOf(const StackLayout& layout);

// Returns a keeper whose state folder was removed or moved while its services still hold the
// sockets. The keeper notices this and ends them and then itself.
std::optional<int> StrayKeeperOf(const StackLayout& layout);

// Allows the stack's storage to read datasets below `folders`, now and after a restart. Folders
// that are already allowed stay allowed.
absl::Status AllowDataRoots(const StackLayout& layout, const std::vector<std::string>& folders);

// Returns the number of preprocessing workers of the stack: TIDEMILL_WORKERS, or 1.
// INVALID_ARGUMENT unless the text is a number from 1 to 100.
absl::StatusOr<int64_t> NumWorkers();

// The variable with the number of trainings on processors that a local stack runs at the same time,
// where its configuration allows fewer.
inline constexpr char kTrainingsVariable[] = "TIDEMILL_TRAININGS";

// Starts the keeper in the background unless one runs, and waits until every service answers.
// Returns whether this call started it. If this process ends before that, the keeper ends what it
// has started. A PostgreSQL that an earlier keeper left is ended, with SIGKILL after 15 s.
// UNAVAILABLE names the service that does not answer, and its log file. FAILED_PRECONDITION when
// the state folder cannot be written, or when its database belongs to another one.
absl::StatusOr<bool> StartStack(const StackLayout& layout,
                                std::chrono::milliseconds patience = std::chrono::seconds{60});

// Starts the keeper of a stack that nothing else uses, and waits as StartStack() does. The keeper
// ends its stack as soon as the descriptor is closed, also by the end of this process.
absl::StatusOr<Descriptor> StartTemporaryStack(
    const StackLayout& layout, std::chrono::milliseconds patience = std::chrono::seconds{60});

// Ends the keeper and its stack, even when the state folder is gone. OK when none runs.
absl::Status StopStack(const StackLayout& layout);

// FAILED_PRECONDITION when nothing can be written to the state folder.
absl::Status CheckWritable(const StackLayout& layout);

// FAILED_PRECONDITION unless the folder belongs to this user alone. A folder below /tmp that
// another user made could contain the sockets of that user's services.
absl::Status CheckOwner(const std::string& folder);

// Whether a service accepts connections. The system does so for a process, too, that has been
// killed and has not ended yet.
bool Listens(const StackLayout& layout, const std::string& service);
// Whether a service accepts a connection and keeps it. A service that runs says the first word at
// once. One that is stopped, or very busy, says nothing and keeps it, too, except for a killed one
// the system ends it.
bool KeepsConnections(const StackLayout& layout, const std::string& service);

}  // namespace tidemill::cli
