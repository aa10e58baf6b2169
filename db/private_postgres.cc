#include "db/private_postgres.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/file.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/log.h"
#include "db/postgres_programs.h"

namespace tidemill::db {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr char kUser[] = "tidemill";
constexpr milliseconds kTick{5};
// Recovery after a crash replays at most max_wal_size.
constexpr std::chrono::seconds kStartPatience{120};
constexpr std::chrono::seconds kStopPatience{20};
constexpr std::chrono::seconds kSyncPatience{10};
constexpr std::string_view kSyncOnly = "--sync-only";

// Where a cluster keeps what.
struct Layout {
  std::string folder;
  std::string socket_folder;

  std::string Data() const { return files::Join(folder, "data"); }
  std::string Log() const { return files::Join(folder, "postgres.log"); }
  std::string ProcessFile() const { return files::Join(Data(), "postmaster.pid"); }
};

// Held while a cluster is made and started, so that two starters do not meet.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (file_.is_open() && ::flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  const Descriptor file_;
};

std::string ConnectionStringOf(const std::string& socket_folder, const std::string& database) {
  return fmt::format("host={} port=5432 user={} dbname={}", socket_folder, kUser, database);
}

absl::Status MakeCluster(const Account& account, const std::string& programs,
                         const Layout& layout) {
  // Renamed when complete: an initdb that was killed leaves nothing that looks like a cluster.
  const std::string fresh = files::Join(layout.folder, "data.new");
  RETURN_IF_ERROR(files::Remove(fresh));
  RETURN_IF_ERROR(RunToEnd(
      account, {.arguments = {programs + "/initdb", "--pgdata=" + fresh, "--data-checksums",
                              "--no-sync", "--no-instructions", "--locale=C.UTF-8",
                              "--encoding=UTF8", fmt::format("--username={}", kUser),
                              "--auth-local=trust", "--auth-host=reject"},
                .folder = layout.folder,
                .log_file = layout.Log()}));
  if (::rename(fresh.c_str(), layout.Data().c_str()) != 0) {
    return Internal("cannot rename {}: {}", fresh, std::strerror(errno));
  }
  return absl::OkStatus();
}

// Starts to write a fresh cluster's files to the disk, which takes seconds on a busy one.
absl::StatusOr<pid_t> SyncCluster(const Account& account, const std::string& programs,
                                  const Layout& layout) {
  return StartDetached(account, {.arguments = {programs + "/initdb", std::string(kSyncOnly),
                                               "--pgdata=" + layout.Data()},
                                 .folder = layout.folder,
                                 .log_file = layout.Log()});
}

// Whether it still does so, and its number has not become another program's.
bool IsSyncing(pid_t process) {
  if (process == 0) return false;
  const auto words = files::Read(fmt::format("/proc/{}/cmdline", process));
  return words.ok() && words->find(kSyncOnly) != std::string::npos;
}

// A server that runs on the cluster, and its socket's folder.
struct RunningServer {
  pid_t process = 0;
  std::string socket_folder;
};

// From the cluster's postmaster.pid: process, data folder, start time, port, socket folder.
// std::nullopt when none runs.
absl::StatusOr<std::optional<RunningServer>> FindRunning(const Layout& layout) {
  const absl::StatusOr<std::string> text = files::Read(layout.ProcessFile());
  if (absl::IsNotFound(text.status())) return std::optional<RunningServer>();
  RETURN_IF_ERROR(text.status());
  std::istringstream lines(*text);
  std::vector<std::string> values;
  for (std::string line; std::getline(lines, line);) values.push_back(line);
  RunningServer server;
  if (!values.empty()) server.process = std::atoi(values[0].c_str());
  if (server.process <= 0 || !IsAlive(server.process)) return std::optional<RunningServer>();
  // Another program may have got the number of a server that was killed.
  const auto command = files::Read(fmt::format("/proc/{}/cmdline", server.process));
  const bool ours = command.ok() && command->find(layout.Data()) != std::string::npos;
  if (!ours) return std::optional<RunningServer>();
  server.socket_folder = values.size() > 4 && !values[4].empty() ? values[4] : layout.socket_folder;
  return server;
}

// Removes the lock files of a server that was killed, which would keep PostgreSQL from starting for
// as long as its process number is taken, be it by a zombie. Its sessions, which still write to the
// cluster, end by themselves; they are waited for.
absl::Status ClearDeadServer(const Layout& layout) {
  if (!files::Exists(layout.ProcessFile())) return absl::OkStatus();
  const Clock::time_point end = Clock::now() + kStopPatience;
  while (IsWorkingFolder(layout.Data())) {
    if (Clock::now() > end) {
      return Unavailable("sessions of a PostgreSQL that was killed still work in {}",
                         layout.Data());
    }
    std::this_thread::sleep_for(kTick);
  }
  RETURN_IF_ERROR(files::Remove(layout.ProcessFile()));
  return files::Remove(files::Join(layout.socket_folder, ".s.PGSQL.5432.lock"));
}

std::vector<std::string> ServerArguments(const std::string& programs, const Layout& layout,
                                         const PrivatePostgres::Options& options) {
  const char* const durable = options.durable ? "on" : "off";
  std::vector<std::string> arguments = {programs + "/postgres", "-D", layout.Data()};
  for (const std::string& setting :
       {std::string("listen_addresses="), std::string("port=5432"),
        "unix_socket_directories=" + layout.socket_folder,
        std::string("unix_socket_permissions=0700"), fmt::format("fsync={}", durable),
        fmt::format("full_page_writes={}", durable), fmt::format("synchronous_commit={}", durable),
        std::string("shared_buffers=256MB"), std::string("max_wal_size=4GB"),
        std::string("jit=off"), std::string("max_connections=100"), std::string("timezone=UTC"),
        std::string("log_timezone=UTC"), std::string("logging_collector=off")}) {
    arguments.emplace_back("-c");
    arguments.push_back(setting);
  }
  return arguments;
}

// False when the server has ended instead.
absl::StatusOr<bool> WaitUntilItAnswers(pid_t process, const std::string& socket_folder) {
  const std::string target = ConnectionStringOf(socket_folder, "postgres");
  const Clock::time_point end = Clock::now() + kStartPatience;
  while (Clock::now() < end) {
    if (PQping(target.c_str()) == PQPING_OK) return true;
    if (!IsAlive(process)) return false;
    std::this_thread::sleep_for(kTick);
  }
  return DeadlineExceeded("PostgreSQL does not answer in {}", socket_folder);
}

absl::StatusOr<RunningServer> StartServer(const Account& account, const std::string& programs,
                                          const Layout& layout,
                                          const PrivatePostgres::Options& options) {
  const Program program{.arguments = ServerArguments(programs, layout, options),
                        .folder = layout.folder,
                        .log_file = layout.Log()};
  RETURN_IF_ERROR(ClearDeadServer(layout));
  ASSIGN_OR_RETURN(const pid_t process, options.ends_with_caller ? StartChild(account, program)
                                                                 : StartDetached(account, program));
  ASSIGN_OR_RETURN(const bool answers, WaitUntilItAnswers(process, layout.socket_folder));
  if (!answers) {
    return Internal("PostgreSQL does not start; {} ends with: {}", layout.Log(),
                    EndOfLog(layout.Log()));
  }
  log::Info("PostgreSQL started", {{"folder", layout.folder}});
  return RunningServer{.process = process, .socket_folder = layout.socket_folder};
}

absl::Status MakeDatabase(const std::string& socket_folder) {
  const std::string target = ConnectionStringOf(socket_folder, "postgres");
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(target.c_str()),
                                                                &PQfinish);
  using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;
  const Answer known(PQexec(connection.get(), "SELECT FROM pg_database WHERE datname = 'tidemill'"),
                     &PQclear);
  if (PQresultStatus(known.get()) == PGRES_TUPLES_OK && PQntuples(known.get()) > 0) {
    return absl::OkStatus();
  }
  const Answer made(PQexec(connection.get(), "CREATE DATABASE tidemill"), &PQclear);
  if (PQresultStatus(made.get()) == PGRES_COMMAND_OK) return absl::OkStatus();
  return Internal("cannot make the database: {}", PQerrorMessage(connection.get()));
}

absl::Status CheckSocketFolder(const std::string& path) {
  constexpr size_t kMost =
      sizeof(sockaddr_un::sun_path) - std::string_view("/.s.PGSQL.5432").size() - 1;
  // A quoted connection string and setting would be needed for the others.
  const bool plain = path.find_first_of(" ,'\\\"") == std::string::npos;
  if (!path.empty() && path.front() == '/' && path.size() <= kMost && plain) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "socket folder {} is not an absolute path of at most {} bytes without spaces, commas and "
      "quotes",
      path, kMost);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivatePostgres>> PrivatePostgres::Start(
    const std::string& folder, const std::string& socket_folder, const Options& options) {
  RETURN_IF_ERROR(CheckSocketFolder(socket_folder));
  const Layout layout{.folder = folder, .socket_folder = socket_folder};
  ASSIGN_OR_RETURN(const Account account, PostgresAccount());
  ASSIGN_OR_RETURN(const std::string programs, FindPostgresPrograms());
  RETURN_IF_ERROR(CreateFolderFor(account, folder));
  RETURN_IF_ERROR(CreateFolderFor(account, socket_folder));
  const FolderLock lock(folder);
  const bool fresh = !files::Exists(files::Join(layout.Data(), "PG_VERSION"));
  if (fresh) RETURN_IF_ERROR(MakeCluster(account, programs, layout));
  ASSIGN_OR_RETURN(std::optional<RunningServer> server, FindRunning(layout));
  if (server) {
    ASSIGN_OR_RETURN(const bool answers,
                     WaitUntilItAnswers(server->process, server->socket_folder));
    if (answers && options.ends_with_caller) {
      log::Warn("the process that started PostgreSQL is gone; starting PostgreSQL again",
                {{"process", std::to_string(server->process)}});
      const PrivatePostgres stray(server->socket_folder, server->process, /*sync_process=*/0);
      RETURN_IF_ERROR(stray.Stop());
    }
    if (!answers || options.ends_with_caller) server.reset();
  }
  if (!server) {
    ASSIGN_OR_RETURN(server, StartServer(account, programs, layout, options));
  }
  RETURN_IF_ERROR(MakeDatabase(server->socket_folder));
  pid_t sync_process = 0;
  if (fresh && options.durable) {
    ASSIGN_OR_RETURN(sync_process, SyncCluster(account, programs, layout));
  }
  return std::unique_ptr<PrivatePostgres>(
      new PrivatePostgres(server->socket_folder, server->process, sync_process));
}

std::string PrivatePostgres::ConnectionString(const std::string& database) const {
  return ConnectionStringOf(socket_folder_, database);
}

void PrivatePostgres::AwaitSync() const {
  const Clock::time_point end = Clock::now() + kSyncPatience;
  while (IsSyncing(sync_process_) && Clock::now() < end) std::this_thread::sleep_for(kTick);
  if (!IsSyncing(sync_process_)) return;
  // The kernel writes the files in its own time.
  ::kill(sync_process_, SIGKILL);
  while (IsSyncing(sync_process_)) std::this_thread::sleep_for(kTick);
}

absl::Status PrivatePostgres::Stop() const {
  const absl::Status stopped = StopServer();
  AwaitSync();
  return stopped;
}

absl::Status PrivatePostgres::StopServer() const {
  // SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves the work to the next start.
  for (const int signal : {SIGINT, SIGQUIT}) {
    if (!IsAlive(process_)) return absl::OkStatus();
    ::kill(process_, signal);
    const Clock::time_point end = Clock::now() + kStopPatience;
    while (IsAlive(process_) && Clock::now() < end) std::this_thread::sleep_for(kTick);
  }
  if (!IsAlive(process_)) return absl::OkStatus();
  return DeadlineExceeded("PostgreSQL, process {}, does not end", process_);
}

}  // namespace tidemill::db
