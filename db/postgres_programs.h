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

// Returns this process's user; for root `postgres`, or the user of Debian that owns no file where no
// package of PostgreSQL has made that one. FAILED_PRECONDITION when there is neither.
absl::StatusOr<Account> PostgresAccount();

// The variable that names the folder with PostgreSQL's programs, where these are not Debian's.
inline constexpr char kPostgresVariable[] = "TIDEMILL_POSTGRES";

// Returns the folder that the variable names, else the one with the programs of Debian's newest
// PostgreSQL, at least 15. FAILED_PRECONDITION when there is none.
absl::StatusOr<std::string> FindPostgresPrograms();

// FAILED_PRECONDITION names the folder, at or above `programs`, that the account may not enter.
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
