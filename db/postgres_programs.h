// Runs PostgreSQL's programs, as an unprivileged user where this process is root: the server
// refuses to run as root.
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
  // This process must change to the user: it is root.
  bool change = false;
};

// This process's user, or `postgres` for root. FAILED_PRECONDITION when there is no such user.
absl::StatusOr<Account> PostgresAccount();

// The folder of the newest PostgreSQL's programs, 15 at least. FAILED_PRECONDITION when there is
// none.
absl::StatusOr<std::string> FindPostgresPrograms();

// Creates a folder that only the account can enter, or takes one that is the account's or this
// user's already. Follows no link at its place and changes nothing that is somebody else's:
// FAILED_PRECONDITION names what stands there, or the folder above that is closed to the account.
absl::Status CreateFolderFor(const Account& account, const std::string& path);

// A program to run: arguments[0] is its path; what it prints is added to the end of `log_file`.
struct Program {
  std::vector<std::string> arguments;
  std::string folder;
  std::string log_file;
};

// Runs it to its end. INTERNAL with the end of the log when it fails.
absl::Status RunToEnd(const Account& account, const Program& program);

// Starts it in a session of its own, so that it outlives this process and no signal of a terminal
// reaches it. It is not this process's child. Returns its process.
absl::StatusOr<pid_t> StartDetached(const Account& account, const Program& program);

// Starts it as a child in a session of its own, which gets SIGINT when the calling thread ends,
// however that ends. The caller waits for the child. Returns its process.
absl::StatusOr<pid_t> StartChild(const Account& account, const Program& program);

// The last kilobyte of a log, empty when there is none.
std::string EndOfLog(const std::string& path);

// False once it has ended, whether or not someone has noticed.
bool IsAlive(pid_t process);

// Some process works in the folder.
bool IsWorkingFolder(const std::string& folder);

}  // namespace tidemill::db
