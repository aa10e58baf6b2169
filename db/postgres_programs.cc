#include "db/postgres_programs.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/descriptor.h"
#include "base/files.h"

namespace tidemill::db {
namespace {

namespace fs = std::filesystem;

// Who PostgreSQL is for root: the user of Debian's package, else the one that owns nothing.
constexpr const char* kUsers[] = {"postgres", "nobody"};
constexpr int kCannotExecute = 127;

// A program in the form that a forked child can use: it must not allocate, because another thread
// may have held the allocator's lock at the fork.
struct Prepared {
  const Account& account;
  const Program& program;
  std::vector<char*> arguments;

  Prepared(const Account& a, const Program& p) : account(a), program(p) {
    for (const std::string& argument : p.arguments) {
      arguments.push_back(const_cast<char*>(argument.c_str()));  // execv promises not to write.
    }
    arguments.push_back(nullptr);
  }
};

// In the child. Never returns. `parent`: the process whose end sends the program a signal; 0 for
// none.
[[noreturn]] void Execute(const Prepared& prepared, pid_t parent = 0) {
  const Account& account = prepared.account;
  ::umask(0077);
  if (account.change && (::setgroups(1, &account.group) != 0 ||
                         ::setresgid(account.group, account.group, account.group) != 0 ||
                         ::setresuid(account.user, account.user, account.user) != 0)) {
    ::_exit(kCannotExecute);
  }
  // Changing the user has undone whatever was asked for before.
  if (parent != 0 && (::prctl(PR_SET_PDEATHSIG, SIGINT) != 0 || ::getppid() != parent)) {
    ::_exit(kCannotExecute);
  }
  const int input = ::open("/dev/null", O_RDONLY);
  const int log = ::open(prepared.program.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (input < 0 || log < 0 || ::chdir(prepared.program.folder.c_str()) != 0) {
    ::_exit(kCannotExecute);
  }
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP}) ::signal(signal, SIG_DFL);
  ::execv(prepared.arguments[0], prepared.arguments.data());
  ::_exit(kCannotExecute);
}

int WaitFor(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The folder above that the account may not pass, empty when there is none.
std::string ClosedAncestor(const Account& account, const std::string& path) {
  for (fs::path folder = fs::path(path).parent_path();; folder = folder.parent_path()) {
    struct stat info = {};
    if (::stat(folder.c_str(), &info) != 0) return folder;
    mode_t needed = S_IXOTH;
    if (info.st_uid == account.user) {
      needed = S_IXUSR;
    } else if (info.st_gid == account.group) {
      needed = S_IXGRP;
    }
    if ((info.st_mode & needed) == 0) return folder;
    if (folder == folder.root_path() || folder.empty()) return "";
  }
}

// Gives the open folder to the account, unless it belongs to another user.
absl::Status GiveFolder(const Descriptor& folder, const Account& account, const std::string& path) {
  struct stat info = {};
  if (::fstat(folder.number(), &info) != 0) {
    return Internal("cannot examine {}: {}", path, std::strerror(errno));
  }
  if (info.st_uid != account.user && info.st_uid != ::geteuid()) {
    return FailedPrecondition(
        "{} belongs to user {} and must belong to user {}; find out who made it, and remove it",
        path, info.st_uid, account.user);
  }
  if (::fchmod(folder.number(), 0700) != 0 ||
      (account.change && ::fchown(folder.number(), account.user, account.group) != 0)) {
    return Internal("cannot give {} to PostgreSQL: {}", path, std::strerror(errno));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Account> PostgresAccount(const std::string& cluster) {
  if (::geteuid() != 0) return Account{.user = ::geteuid(), .group = ::getegid()};
  struct stat made = {};
  const bool exists = !cluster.empty() && ::lstat(cluster.c_str(), &made) == 0;
  std::optional<Account> first;
  for (const char* const name : kUsers) {
    const passwd* const entry = ::getpwnam(name);
    if (entry == nullptr) continue;
    const Account account{.user = entry->pw_uid, .group = entry->pw_gid, .change = true};
    if (exists && made.st_uid == account.user) return account;
    if (!first) first = account;
  }
  if (first) return *first;
  return FailedPrecondition(
      "PostgreSQL does not run as root, and there is no user {}; add one of them",
      fmt::join(kUsers, " or "));
}

absl::Status CheckReach(const Account& account, const std::string& programs) {
  if (!account.change) return absl::OkStatus();
  const std::string closed = ClosedAncestor(account, programs + "/postgres");
  if (closed.empty()) return absl::OkStatus();
  const passwd* const entry = ::getpwuid(account.user);
  return FailedPrecondition(
      "PostgreSQL does not run as root, and the user {} cannot reach {}: {} is closed to others; "
      "open it, or install in a folder that others can enter, such as one below /opt",
      entry != nullptr ? entry->pw_name : std::to_string(account.user), programs, closed);
}

absl::Status CreateFolderFor(const Account& account, const std::string& path) {
  fs::path place = fs::path(path).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  const std::string above = place.has_parent_path() ? place.parent_path().string() : ".";
  const std::string name = place.filename().string();
  RETURN_IF_ERROR(files::CreateFolder(above));
  if (account.change) {
    if (const std::string closed = ClosedAncestor(account, place); !closed.empty()) {
      return FailedPrecondition("the user of PostgreSQL cannot reach {}: {} is closed to others",
                                path, closed);
    }
  }
  const Descriptor parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.is_open()) return Internal("cannot open {}: {}", above, std::strerror(errno));
  if (::mkdirat(parent.number(), name.c_str(), 0700) != 0 && errno != EEXIST) {
    return Internal("cannot create folder {}: {}", path, std::strerror(errno));
  }
  // From here on the folder itself is held, whatever is put in its place.
  const Descriptor folder(
      ::openat(parent.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) {
    return FailedPrecondition(
        "{} is a link, is not a folder, or is closed to this user ({}); find out who made it, and "
        "remove it",
        path, std::strerror(errno));
  }
  return GiveFolder(folder, account, path);
}

absl::Status RunToEnd(const Account& account, const Program& program) {
  const Prepared prepared(account, program);
  const pid_t child = ::fork();
  if (child < 0) return Internal("cannot fork: {}", std::strerror(errno));
  if (child == 0) Execute(prepared);
  if (WaitFor(child) == 0) return absl::OkStatus();
  return Internal("{} failed: {}", program.arguments[0], EndOfLog(program.log_file));
}

absl::StatusOr<pid_t> StartDetached(const Account& account, const Program& program) {
  const Prepared prepared(account, program);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Internal("cannot pipe: {}", std::strerror(errno));
  const Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    // The child of this child belongs to init once this one has ended.
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) Execute(prepared);
    const ssize_t written = ::write(writing.number(), &grandchild, sizeof(grandchild));
    ::_exit(written == sizeof(grandchild) ? 0 : 1);
  }
  pid_t process = -1;
  const bool told = child > 0 && WaitFor(child) == 0 &&
                    ::read(reading.number(), &process, sizeof(process)) == sizeof(process);
  if (!told || process < 0) return Internal("cannot fork for {}", program.arguments[0]);
  return process;
}

absl::StatusOr<pid_t> StartChild(const Account& account, const Program& program) {
  const Prepared prepared(account, program);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Internal("cannot fork for {}", program.arguments[0]);
  if (child == 0) {
    ::setsid();
    Execute(prepared, parent);
  }
  return child;
}

std::string EndOfLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<int64_t>(file.tellg());
  if (size <= 0) return "";
  std::string end(static_cast<size_t>(std::min<int64_t>(size, 1'000)), '\0');
  file.seekg(-static_cast<int64_t>(end.size()), std::ios::end);
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  return end;
}

bool IsAlive(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  if (!std::getline(file, line)) return false;
  // "pid (name) state ...": the name may hold anything.
  const size_t end_of_name = line.rfind(')');
  return end_of_name + 2 < line.size() && line[end_of_name + 2] != 'Z' &&
         line[end_of_name + 2] != 'X';
}

}  // namespace tidemill::db
