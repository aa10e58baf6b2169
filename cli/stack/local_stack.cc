#include "cli/stack/local_stack.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/logs/log_file.h"
#include "cli/stack/stack_identity.h"
#include "cli/stack/stack_network.h"
#include "config/numbers.h"
#include "db/postgres_programs.h"

// The places of a stack:
//
//   <state folder>/tidemill.yaml, token, data_roots
//                  stack.lock               locked by the keeper, whose process id it holds
//                  logs/<service>.log
//                  postgres/                the database; root's is elsewhere, because PostgreSQL
//                                           does not run as root
//   /tmp/tidemill-<uid>-<mark>/<service>    the sockets
//                              keeper       locked, too, in case the state folder is moved
//   /tmp/tidemill-<uid>-<mark>-db/          PostgreSQL's socket

namespace tidemill::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{20};
// A keeper that does not hold its lock by then has ended.
constexpr std::chrono::seconds kKeeperStart{2};

absl::StatusOr<std::string> DefaultStateFolder() {
  if (const char* given = std::getenv("TIDEMILL_STATE"); given != nullptr) {
    // `TIDEMILL_STATE=$FOLDER tidemill down --purge` of a script must not mean the user's stack.
    if (*given != '\0') return std::string(given);
    return InvalidArgument(
        "TIDEMILL_STATE is empty; unset it for the stack of this user, or name a folder");
  }
  if (geteuid() == 0) return std::string("/var/lib/tidemill");
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state != '\0') return files::Join(state, "tidemill");
  const char* home = std::getenv("HOME");
  return files::Join(home != nullptr ? home : "/tmp", ".local/state/tidemill");
}

// The name from which a state folder's other folders are derived.
std::string MarkOf(const std::string& state_folder) {
  constexpr size_t kMarkLength = 10;
  return Sha256(state_folder).substr(0, kMarkLength);
}

// Root's databases are outside its state folders.
constexpr std::string_view kRootsDatabases = "/var/lib/tidemill-postgres-";

// A path that a file names is one of them, and nothing above or below.
bool IsRootsDatabase(const std::string& path) {
  return path.size() == kRootsDatabases.size() + MarkOf("").size() &&
         path.starts_with(kRootsDatabases) &&
         path.find_first_not_of("0123456789abcdef", kRootsDatabases.size()) == std::string::npos;
}

// The one name of a folder, whichever path or link leads to it.
absl::StatusOr<std::string> PlaceOf(const std::string& given, MissingFolder missing) {
  namespace fs = std::filesystem;
  if (missing == MissingFolder::kMake) RETURN_IF_ERROR(files::CreateFolder(given));
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(given, error), error);
  if (!error && fs::exists(path, error) && !fs::is_directory(path, error)) {
    return InvalidArgument("state folder {} is not a folder", given);
  }
  if (error) return InvalidArgument("state folder {}: {}", given, error.message());
  return path.has_filename() ? path : path.parent_path();
}

// The last line of a file, for a message.
std::string LastLineOf(const std::string& path) {
  const auto text = files::Read(path);
  if (!text.ok()) return "no log";
  const size_t end = text->find_last_not_of('\n');
  if (end == std::string::npos) return "an empty log";
  const size_t begin = text->rfind('\n', end);
  return text->substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

// A pipe that a keeper watches while its stack starts. The keeper exits unless it receives a byte
// before this process ends.
class KeeperLifeline {
 public:
  KeeperLifeline() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    keepers_end_ = Descriptor(ends[0]);
    our_end_ = Descriptor(ends[1]);
  }

  bool ok() const { return keepers_end_.is_open(); }
  int keepers_end() const { return keepers_end_.number(); }
  void LetStay() const {
    [[maybe_unused]] const ssize_t written = write(our_end_.number(), "k", 1);
  }
  // The keeper ends when this is closed.
  Descriptor TakeOurEnd() { return std::move(our_end_); }

 private:
  Descriptor keepers_end_;
  Descriptor our_end_;
};

// Starts this program again as the keeper, in its own session.
absl::Status SpawnKeeper(const StackLayout& layout, const KeeperLifeline& lifeline) {
  std::vector<std::string> words = {"tidemill", "keep-stack", "--state", layout.state_folder};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = layout.LogFile("stack");
  const pid_t child = fork();
  if (child < 0) return Unavailable("cannot start a process: {}", std::strerror(errno));
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(lifeline.keepers_end(), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv(log::kFileVariable, log.c_str(), /*overwrite=*/1);
    execv("/proc/self/exe", arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return absl::OkStatus();
}

// A connection to a service; none when it accepts none.
Descriptor ConnectTo(const StackLayout& layout, const std::string& service) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = layout.EndpointOf(service).substr(5);
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  if (connect(connection.number(), to, sizeof(address)) != 0) connection.Close();
  return connection;
}

// The process that holds the lock on a file, as that says.
std::optional<int> HolderOf(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  // Shared, so that two who ask do not take each other for the holder, whose lock is exclusive.
  const bool free = flock(file.number(), LOCK_SH | LOCK_NB) == 0;
  file.Close();
  if (free) return std::nullopt;
  const auto text = files::Read(path);
  return text.ok() ? std::optional<int>(std::atoi(text->c_str())) : std::nullopt;
}

// Brings one stack up and waits for it.
class Starter {
 public:
  Starter(const StackLayout& layout, std::chrono::milliseconds patience)
      : layout_(layout), end_(Clock::now() + patience) {}

  absl::StatusOr<bool> Start() {
    const absl::Status status = AwaitServices();
    // A stack that came up in part stays, too: its logs say what is missing, and the rest may still
    // come up.
    if (lifeline_.ok()) lifeline_.LetStay();
    RETURN_IF_ERROR(status);
    return spawned_at_.has_value();
  }

  absl::StatusOr<Descriptor> StartTemporary() {
    RETURN_IF_ERROR(AwaitServices());
    return lifeline_.TakeOurEnd();
  }

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status AwaitServices() {
    if (!lifeline_.ok()) return Unavailable("cannot make a pipe: {}", std::strerror(errno));
    for (const std::string& service : ServicesOf(layout_)) {
      RETURN_IF_ERROR(AwaitService(service));
    }
    return absl::OkStatus();
  }

  absl::Status AwaitService(const std::string& service) {
    for (;;) {
      // Sockets that answer without a keeper belong to a stack that is about to end.
      const bool kept = KeeperOf(layout_).has_value();
      if (kept && KeepsConnections(layout_, service)) return absl::OkStatus();
      if (!kept) RETURN_IF_ERROR(SpawnOnce());
      if (Clock::now() > end_) {
        return Unavailable("{} does not start; see {} and {}", service, layout_.LogFile(service),
                           layout_.LogFile("stack"));
      }
      std::this_thread::sleep_for(kPoll);
    }
  }

  absl::Status SpawnOnce() {
    if (const auto stray = StrayKeeperOf(layout_)) {
      if (Clock::now() < end_) return absl::OkStatus();  // It has noticed, and ends.
      return Unavailable("process {} keeps a stack whose state folder is gone; end it with kill {}",
                         *stray, *stray);
    }
    if (!spawned_at_) {
      spawned_at_ = Clock::now();
      return SpawnKeeper(layout_, lifeline_);
    }
    if (Clock::now() < *spawned_at_ + kKeeperStart) return absl::OkStatus();
    return Unavailable("the stack does not start: {}", LastLineOf(layout_.LogFile("stack")));
  }

  const StackLayout& layout_;
  const Clock::time_point end_;
  KeeperLifeline lifeline_;
  std::optional<Clock::time_point> spawned_at_;
};

constexpr int64_t kMostTrainings = 256;

// The number in a variable of the environment, `none` when it is not set.
absl::StatusOr<int64_t> CountIn(const char* variable, int64_t none, int64_t most) {
  const char* const text = getenv(variable);
  if (text == nullptr) return none;
  const auto count = config::ParseCount(text);
  if (!count.ok() || *count < 1 || *count > most) {
    return InvalidArgument("{} is '{}'; write a number from 1 to {}", variable, text, most);
  }
  return *count;
}

absl::Status PrepareToStart(const StackLayout& layout) {
  RETURN_IF_ERROR(NumWorkers().status());
  RETURN_IF_ERROR(CountIn(kTrainingsVariable, 1, kMostTrainings).status());
  RETURN_IF_ERROR(CheckWritable(layout));
  // A copy made of hard links has its original's lock, and seems to be kept.
  if (!KeeperOf(layout) || IsCopy(layout)) RETURN_IF_ERROR(CheckIdentity(layout));
  return files::CreateFolder(files::Join(layout.state_folder, "logs"));
}

}  // namespace

std::string ProgramNameOf(const std::string& service) {
  std::string name = "tidemill-" + service;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string StackLayout::ConfigFile() const { return files::Join(state_folder, "tidemill.yaml"); }
std::string StackLayout::TokenFile() const { return files::Join(state_folder, "token"); }
std::string StackLayout::LockFile() const { return files::Join(state_folder, "stack.lock"); }
std::string StackLayout::SocketsLockFile() const { return files::Join(sockets_folder, "keeper"); }
std::string StackLayout::DataRootsFile() const { return files::Join(state_folder, "data_roots"); }
std::string StackLayout::LogFile(const std::string& service) const {
  return files::Join(files::Join(state_folder, "logs"), service + ".log");
}
std::string StackLayout::EndpointOf(const std::string& service) const {
  return "unix:" + files::Join(sockets_folder, service);
}

std::string FirstDatabaseFolder(const std::string& state_folder) {
  // PostgreSQL does not run as root, and no other user can enter root's state folder.
  return geteuid() == 0 ? std::string(kRootsDatabases) + MarkOf(state_folder)
                        : files::Join(state_folder, "postgres");
}

absl::StatusOr<StackLayout> LayoutOf(const std::string& state_folder, MissingFolder missing) {
  std::string given = state_folder;
  if (given.empty()) {
    ASSIGN_OR_RETURN(given, DefaultStateFolder());
  }
  ASSIGN_OR_RETURN(const std::string folder, PlaceOf(given, missing));
  StackLayout layout;
  layout.state_folder = folder;
  layout.sockets_folder = fmt::format("/tmp/tidemill-{}-{}", geteuid(), MarkOf(folder));
  layout.database_sockets_folder = layout.sockets_folder + "-db";
  layout.database_folder = FirstDatabaseFolder(folder);
  if (geteuid() == 0) {
    // The one that it had in its former place.
    const std::string known = KnownDatabaseFolder(folder);
    if (IsRootsDatabase(known)) layout.database_folder = known;
  }
  return layout;
}

std::optional<int> KeeperOf(const StackLayout& layout) { return HolderOf(layout.LockFile()); }

std::optional<int> StrayKeeperOf(const StackLayout& layout) {
  if (KeeperOf(layout)) return std::nullopt;
  return HolderOf(layout.SocketsLockFile());
}

absl::Status CheckWritable(const StackLayout& layout) {
  if (access(layout.state_folder.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return FailedPrecondition("state folder {} cannot be written: {}; name another one with --state",
                            layout.state_folder, std::strerror(errno));
}

absl::Status CheckOwner(const std::string& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return FailedPrecondition("{} is not a folder that belongs to this user alone; remove it",
                              folder);
  }
  return absl::OkStatus();
}

bool Listens(const StackLayout& layout, const std::string& service) {
  return ConnectTo(layout, service).is_open();
}

bool KeepsConnections(const StackLayout& layout, const std::string& service) {
  constexpr int kPatienceMillis = 1'000;
  const Descriptor connection = ConnectTo(layout, service);
  if (!connection.is_open()) return false;
  pollfd waiting = {.fd = connection.number(), .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, kPatienceMillis) == 0) return true;
  char byte = 0;
  return read(connection.number(), &byte, 1) == 1;
}

absl::Status AllowDataRoots(const StackLayout& layout, const std::vector<std::string>& folders) {
  auto text = files::Read(layout.DataRootsFile());
  if (!text.ok() && !absl::IsNotFound(text.status())) return text.status();
  const std::string before = text.ok() ? *text : "";
  std::string after = before;
  for (const std::string& folder : folders) {
    if (("\n" + after).find("\n" + folder + "\n") == std::string::npos) after += folder + "\n";
  }
  if (after == before) return absl::OkStatus();
  return files::WriteAtomically(layout.DataRootsFile(), after);
}

absl::StatusOr<int64_t> NumWorkers() {
  constexpr int64_t kMost = 100;
  return CountIn("TIDEMILL_WORKERS", 1, kMost);
}

absl::StatusOr<bool> StartStack(const StackLayout& layout, std::chrono::milliseconds patience) {
  RETURN_IF_ERROR(PrepareToStart(layout));
  return Starter(layout, patience).Start();
}

absl::StatusOr<Descriptor> StartTemporaryStack(const StackLayout& layout,
                                               std::chrono::milliseconds patience) {
  RETURN_IF_ERROR(PrepareToStart(layout));
  return Starter(layout, patience).StartTemporary();
}

absl::Status StopStack(const StackLayout& layout) {
  const auto keeper_of = [&] {
    const std::optional<int> keeper = KeeperOf(layout);
    return keeper ? keeper : StrayKeeperOf(layout);
  };
  constexpr std::chrono::seconds kLongestEnd{60};  // A database is given 40 s to end, then killed.
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  const std::optional<int> keeper = keeper_of();
  if (!keeper) return absl::OkStatus();
  kill(*keeper, SIGTERM);
  while (keeper_of() || db::IsAlive(*keeper)) {
    if (std::chrono::steady_clock::now() > deadline) {
      return Unavailable("the stack (process {}) does not stop; see {}", *keeper,
                         layout.LogFile("stack"));
    }
    std::this_thread::sleep_for(kPoll);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::cli
