// Runs PostgreSQL's programs. When this process is root, they run as an unprivileged user, because
// the server refuses to run as root.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::db {

// The user that PostgreSQL runs as. A value.
struct Account {
  uid_t user = 0;
  gid_t group = 0;
  // Whether this process is root, and must change to the user.
  bool change = false;
};

// Returns this process's user. For root: the owner of the folder of the cluster, where it exists
// and belongs to one of the users below; else the user postgres of Debian's package; where there is
// no such user, the one that owns no files. FAILED_PRECONDITION when there is neither.
absl::StatusOr<Account> PostgresAccount(const std::string& cluster);

// FAILED_PRECONDITION names the folder, `programs` or one above it, that the account may not enter.
absl::Status CheckReach(const Account& account, const std::string& programs);

// Creates a folder that only the account can enter, or takes one that belongs to the account or to
// this user already. Does not follow a link at its place. Changes nothing that belongs to another
// user: FAILED_PRECONDITION names that file, or the parent folder that the account cannot enter.
absl::Status CreateFolderFor(const Account& account, const std::string& path);

// A program to run. arguments[0] is its path. Its output is appended to `log_file`.
struct Program {
  std::vector<std::string> arguments;
  std::string folder;
  std::string log_file;
};

// Runs it until it ends. INTERNAL with the end of the log when it fails.
absl::Status RunToEnd(const Account& account, const Program& program);

// Starts it in its own session, so that it outlives this process and receives no signal of a
// terminal. It is not a child of this process. Returns its process id.
absl::StatusOr<pid_t> StartDetached(const Account& account, const Program& program);

// Starts it as a child in its own session. It gets SIGINT when the calling thread ends, for
// whatever reason. The caller waits for the child. Returns its process id.
absl::StatusOr<pid_t> StartChild(const Account& account, const Program& program);

// Returns the last kilobyte of a log, or an empty string when there is none.
std::string EndOfLog(const std::string& path);

// Returns false when it has ended, even if it has not been waited for.
bool IsAlive(pid_t process);

}  // namespace tidemill::db
