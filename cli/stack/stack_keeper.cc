#include "cli/stack/stack_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/match.h"

#include "base/descriptor.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/logs/log_file.h"
#include "base/paths/own_folder.h"
#include "base/process/program_folder.h"
#include "cli/stack/doctor_processes.h"
#include "cli/stack/session.h"
#include "cli/stack/stack_identity.h"
#include "cli/stack/stack_network.h"
#include "config/config.h"
#include "db/private_postgres.h"
#include "loader/shared/sharing.h"
#include "prepared/prepared_config.h"
#include "rpc/access/tokens.h"
#include "rpc/service_main.h"

// The keeper's processes, all of which end with it:
//
//   keeper --+-- PostgreSQL
//            +-- one process for each service, which logs to logs/<service>.log
//            `-- preprocess_worker_2, _3 ...       with TIDEMILL_WORKERS
//
// A process that ends is started again: after 50 ms, then twice as long each time, up to 5 s, and
// after 50 ms again once it has run for 10 s. The keeper ends on SIGTERM or SIGINT, when its state
// folder is removed or moved, and when its starter ends before the stack is up.

namespace tidemill::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{5'000};
// A service that ran this long starts again at once when it dies.
constexpr std::chrono::seconds kHealthy{10};
constexpr std::chrono::seconds kGrace{5};

struct Service {
  std::string name;
  std::string program;
  // Where it listens, when that is not its place in the configuration.
  std::string endpoint = {};
  pid_t process = 0;
  Clock::time_point started = {};
  Clock::time_point start_at = {};  // When process is 0.
  std::chrono::milliseconds pause = kFirstPause;
};

// The part of the storage service's configuration that the stack decides.
struct StorageSection {
  std::string allowed_roots_file;
  void Fields(auto&& field) {
    field("allowed_roots_file", allowed_roots_file, "Folders with data, one a line.");
  }
};

struct StackConfig {
  rpc::ClusterConfig cluster;
  StorageSection storage;
  void Fields(auto&& field) {
    field("cluster", cluster, "What all services share.");
    field("storage", storage, "Where data may be read from.");
  }
};

absl::StatusOr<std::string> ProgramOf(const std::string& service) {
  ASSIGN_OR_RETURN(const std::string folder, process::ProgramFolder());
  return files::Join(folder, ProgramNameOf(service));
}

// Takes what an administrator may have written into the section of the cluster: how plug-ins run.
absl::Status TakeKept(const StackLayout& layout, StackConfig& config) {
  const auto text = files::Read(layout.ConfigFile(), kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return absl::OkStatus();
  RETURN_IF_ERROR(text.status());
  const bool has_cluster = text->starts_with("cluster:") || absl::StrContains(*text, "\ncluster:");
  if (!has_cluster) return absl::OkStatus();  // It was written before the stack first ran.
  ASSIGN_OR_RETURN(const auto cluster,
                   config::ReadSection<rpc::ClusterConfig>(*text, layout.ConfigFile(), "cluster"));
  config.cluster.plugins = cluster.plugins;
  config.cluster.network = cluster.network;  // Members on other hosts know the addresses.
  return absl::OkStatus();
}

// The sections that an administrator may have written into the configuration: all but those of
// StackConfig.
absl::StatusOr<std::string> KeptSections(const StackLayout& layout) {
  const auto text = files::Read(layout.ConfigFile(), kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return std::string();
  RETURN_IF_ERROR(text.status());
  std::string kept;
  bool keeps = false;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    const bool begins_section = !line.empty() && std::isalpha(line.front()) != 0;
    if (begins_section) keeps = !line.starts_with("cluster:") && !line.starts_with("storage:");
    if (keeps) kept += std::string(line) + "\n";
  }
  return kept;
}

absl::Status WriteConfig(const StackLayout& layout, const std::string& database) {
  StackConfig config;
  RETURN_IF_ERROR(TakeKept(layout, config));
  config.cluster.state_folder = layout.state_folder;
  config.cluster.database = database;
  config.cluster.token_file = layout.TokenFile();
  for (const std::string& service : ServicesOf(layout)) {
    config.cluster.endpoints[service] = layout.EndpointOf(service);
  }
  config.storage.allowed_roots_file = layout.DataRootsFile();
  ASSIGN_OR_RETURN(const std::string kept, KeptSections(layout));
  ASSIGN_OR_RETURN(const auto engine, EngineOf(layout));
  if (!engine) config.cluster.network.clear();
  if (engine) RETURN_IF_ERROR(JoinNetwork(layout, *engine, config.cluster));
  RETURN_IF_ERROR(WriteMembersConfig(layout, config.cluster, kept));
  return files::WriteAtomically(layout.ConfigFile(), config::Print(config) + kept);
}

void Start(const StackLayout& layout, Service& service) {
  const std::string log = layout.LogFile(service.name);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv(log::kFileVariable, log.c_str(), /*overwrite=*/1);
    const std::string config = layout.ConfigFile();
    if (service.endpoint.empty()) {
      execl(service.program.c_str(), service.program.c_str(), "--config", config.c_str(), nullptr);
    } else {
      execl(service.program.c_str(), service.program.c_str(), "--config", config.c_str(),
            "--listen", service.endpoint.c_str(), nullptr);
    }
    _exit(127);
  }
  if (child < 0) {
    log::Error("cannot start a process", {{"service", service.name}});
    service.start_at = Clock::now() + kLongestPause;
    return;
  }
  service.process = child;
  service.started = Clock::now();
  log::Info("service started", {{"service", service.name}, {"process", std::to_string(child)}});
}

// Preprocessing workers beside the first, numbered from 2.
absl::Status AddWorkers(const StackLayout& layout, std::vector<Service>& services) {
  ASSIGN_OR_RETURN(const int64_t count, NumWorkers());
  ASSIGN_OR_RETURN(const auto engine, EngineOf(layout));
  if (engine) return absl::OkStatus();  // It starts workers by need.
  ASSIGN_OR_RETURN(const std::string program, ProgramOf("preprocess_worker"));
  for (int64_t number = 2; number <= count; ++number) {
    const std::string name = fmt::format("preprocess_worker_{}", number);
    services.push_back({.name = name, .program = program, .endpoint = layout.EndpointOf(name)});
  }
  return absl::OkStatus();
}

void NoteEnd(Service& service, int status) {
  const auto now = Clock::now();
  service.process = 0;
  if (now - service.started > kHealthy) service.pause = kFirstPause;
  service.start_at = now + service.pause;
  service.pause = std::min(service.pause * 2, kLongestPause);
  log::Warn("service ended; starting it again",
            {{"service", service.name},
             {"signal", std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0)},
             {"exit", std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 0)}});
}

void ReapInto(std::vector<Service>& services) {
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (Service& service : services) {
      if (service.process == ended) NoteEnd(service, status);
    }
  }
}

void EndAll(std::vector<Service>& services) {
  for (const Service& service : services) {
    if (service.process > 0) kill(service.process, SIGTERM);
  }
  const auto deadline = Clock::now() + kGrace;
  const timespec tick{0, 20'000'000};
  const auto running = [&] {
    return std::any_of(services.begin(), services.end(),
                       [](const Service& service) { return service.process > 0; });
  };
  while (running() && Clock::now() < deadline) {
    ReapInto(services);
    nanosleep(&tick, nullptr);
  }
  for (const Service& service : services) {
    if (service.process > 0) kill(service.process, SIGKILL);
  }
}

// It ends with this process, however that ends.
absl::StatusOr<std::unique_ptr<db::PrivatePostgres>> StartDatabase(const StackLayout& layout) {
  // Set by tests, which start hundreds of stacks.
  const char* const templates = std::getenv("TIDEMILL_CLUSTER_TEMPLATES");
  return db::PrivatePostgres::Start(
      layout.database_folder, layout.database_sockets_folder,
      {.ends_with_caller = true, .templates = templates == nullptr ? "" : templates});
}

// Starts PostgreSQL again when it is gone, with growing pauses while that fails.
class DatabaseWatch {
 public:
  DatabaseWatch(const StackLayout& layout, std::unique_ptr<db::PrivatePostgres> postgres)
      : layout_(layout), postgres_(std::move(postgres)) {}

  void Look() {
    if (postgres_->IsRunning() || Clock::now() < start_at_) return;
    log::Warn("PostgreSQL ended; starting it again");
    auto again = StartDatabase(layout_);
    if (again.ok()) {
      postgres_ = *std::move(again);
      pause_ = kFirstPause;
      return;
    }
    log::Error("PostgreSQL does not start", {{"error", std::string(again.status().message())}});
    start_at_ = Clock::now() + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
  }

  absl::Status End() const { return postgres_->Stop(); }

 private:
  const StackLayout& layout_;
  std::unique_ptr<db::PrivatePostgres> postgres_;
  Clock::time_point start_at_ = {};
  std::chrono::milliseconds pause_ = kFirstPause;
};

// Knows when a folder is no longer in its place, be it removed, moved or made again.
class FolderWatch {
 public:
  explicit FolderWatch(const std::string& path)
      : path_(path), folder_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  bool IsGone() const {
    // Held open, so that its inode is not reused.
    struct stat held {};
    struct stat there {};
    if (fstat(folder_.number(), &held) != 0) return true;
    if (stat(path_.c_str(), &there) != 0) return errno == ENOENT || errno == ENOTDIR;
    return held.st_ino != there.st_ino || held.st_dev != there.st_dev;
  }

 private:
  const std::string path_;
  const Descriptor folder_;
};

// Whether who started this process went away before the stack was up: a pipe on stdin has ended
// without a byte.
class StarterWatch {
 public:
  StarterWatch() {
    struct stat info {};
    waits_ = fstat(STDIN_FILENO, &info) == 0 && S_ISFIFO(info.st_mode);
  }
  bool IsGone() {
    if (!waits_) return false;
    pollfd readable = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, 0) <= 0) return false;
    char byte = 0;
    waits_ = false;
    return read(STDIN_FILENO, &byte, 1) != 1;
  }

 private:
  bool waits_ = false;
};

// Starts what is not running and due, until something says that it is over. OK for a signal.
absl::Status KeepRunning(const StackLayout& layout, const sigset_t& signals,
                         std::vector<Service>& services, DatabaseWatch& database) {
  const timespec tick{0, 50'000'000};
  const FolderWatch state(layout.state_folder);
  StarterWatch starter;
  for (;;) {
    // Before anything is started in a folder that is not there.
    if (state.IsGone()) {
      return FailedPrecondition("{} is gone or was moved", layout.state_folder);
    }
    if (starter.IsGone())
      return Cancelled("the process that started the stack ended before the stack was up");
    database.Look();
    for (Service& service : services) {
      if (service.process == 0 && Clock::now() >= service.start_at) Start(layout, service);
    }
    const int signal = sigtimedwait(&signals, nullptr, &tick);
    if (signal == SIGTERM || signal == SIGINT) return absl::OkStatus();
    ReapInto(services);
  }
}

// Ends services that a keeper before this one has left: they would hold the sockets.
void EndLeftovers(const StackLayout& layout) {
  const std::string mark = "--config " + layout.ConfigFile() + " ";
  for (const ProcessInfo& process : AllProcesses()) {
    if (process.parent != 1 || process.arguments.find(mark) == std::string::npos) continue;
    log::Warn("another keeper left this service running; ending it",
              {{"process", std::to_string(process.id)}, {"program", process.program}});
    kill(process.id, SIGKILL);
  }
}

// The lock on a file that this process's number is written to; it lasts as long as the process.
// False when another one has it.
bool TakeLock(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return false;
  // A process that looks for a keeper holds the lock for a moment.
  constexpr int kAttempts = 10;
  const timespec moment{0, 20'000'000};
  for (int attempt = 1; flock(file.number(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (attempt == kAttempts) return false;
    nanosleep(&moment, nullptr);
  }
  const int lock = file.Release();  // Never closed, so that nothing unlocks it.
  const std::string process = std::to_string(getpid()) + "\n";
  return ftruncate(lock, 0) == 0 && pwrite(lock, process.data(), process.size(), 0) > 0;
}

// What services keep of prepared samples in memory is of no use without them.
void FreeMemory(const StackLayout& layout) {
  const std::string kept =
      prepared::OptionsOf(prepared::PreparedConfig(), layout.state_folder).memory_folder;
  for (const std::string& folder :
       {kept.substr(0, kept.rfind('/')), loader::SharedFolderOf(layout.state_folder)}) {
    // Another user may have made it.
    if (!files::CheckOwnFolder(folder).ok()) continue;
    const absl::Status status = files::Remove(folder);
    if (!status.ok()) log::Warn("cannot free memory", {{"error", std::string(status.message())}});
  }
}

absl::Status Keep(const StackLayout& layout) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);

  RETURN_IF_ERROR(files::CreateFolder(layout.sockets_folder));
  RETURN_IF_ERROR(CheckOwner(layout.sockets_folder));
  if (!TakeLock(layout.SocketsLockFile())) {
    return Unavailable("another stack holds {}", layout.sockets_folder);
  }
  EndLeftovers(layout);
  RETURN_IF_ERROR(CheckIdentity(layout));
  RETURN_IF_ERROR(rpc::Tokens::Create(layout.TokenFile()));
  ASSIGN_OR_RETURN(auto postgres, StartDatabase(layout));
  RETURN_IF_ERROR(KeepIdentity(layout));
  RETURN_IF_ERROR(WriteConfig(layout, postgres->ConnectionString()));
  std::vector<Service> services;
  for (const std::string& name : ServicesOf(layout)) {
    ASSIGN_OR_RETURN(std::string program, ProgramOf(name));
    services.push_back({.name = name, .program = std::move(program)});
  }
  RETURN_IF_ERROR(AddWorkers(layout, services));
  DatabaseWatch database(layout, std::move(postgres));
  const absl::Status over = KeepRunning(layout, signals, services, database);
  log::Info("stopping");
  EndAll(services);
  FreeMemory(layout);
  const absl::Status ended = database.End();
  RETURN_IF_ERROR(files::Remove(layout.SocketsLockFile()));
  return over.ok() ? ended : over;
}

}  // namespace

int KeepStack(const StackLayout& layout) {
  log::Configure("stack", log::Level::kInfo, false);
  if (!TakeLock(layout.LockFile())) return 0;  // Another one keeps this stack.
  if (const absl::Status status = Keep(layout); !status.ok()) {
    log::Error("the stack ends", {{"error", std::string(status.message())}});
    return 1;
  }
  return 0;
}

}  // namespace tidemill::cli
