#include "db/private_postgres.h"

#include <libpq-fe.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/logs/log.h"
#include "db/cluster_template.h"
#include "db/folder_lock.h"
#include "db/postgres_installation.h"
#include "db/postgres_programs.h"

namespace tidemill::db {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr char kUser[] = "tidemill";
constexpr milliseconds kTick{5};
// Recovery after a crash replays at most max_wal_size.
constexpr std::chrono::seconds kStartPatience{120};
// Each question costs the server a process, and one that ends waits for those to end.
constexpr milliseconds kLongestQuestionPause{250};
constexpr char kQuestionSeconds[] = "5";  // A stopped server does not answer.
// How long to wait for a server whose starter is gone, after a signal. PostgreSQL that is told to
// end while it recovers from the death of a session hangs until it is told to end immediately; then
// it takes five seconds.
constexpr EndPatience kStrayPatience{.fast = milliseconds{5'000},
                                     .immediate = milliseconds{10'000}};
constexpr std::chrono::seconds kSessionsPatience{10};
constexpr std::chrono::seconds kSyncPatience{10};
constexpr std::string_view kSyncOnly = "--sync-only";

// Where a cluster keeps what.
struct Layout {
  std::string folder;
  std::string socket_folder;

  std::string Data() const { return files::Join(folder, "data"); }
  std::string Log() const { return files::Join(folder, "postgres.log"); }
  std::string ProcessFile() const { return files::Join(Data(), "postmaster.pid"); }
  std::string SocketLock() const { return files::Join(socket_folder, ".s.PGSQL.5432.lock"); }
};

std::string ConnectionStringOf(const std::string& socket_folder, const std::string& database) {
  return fmt::format("host={} port=5432 user={} dbname={}", socket_folder, kUser, database);
}

absl::Status MakeCluster(const Account& account, const std::string& programs, const Layout& layout,
                         const std::string& templates) {
  // Renamed when complete: an initdb that was killed leaves nothing that looks like a cluster.
  const std::string fresh = files::Join(layout.folder, "data.new");
  RETURN_IF_ERROR(files::Remove(fresh));
  Program initdb{
      .arguments = {programs + "/initdb", "--data-checksums", "--no-sync", "--no-instructions",
                    "--locale=C.UTF-8", "--encoding=UTF8", fmt::format("--username={}", kUser),
                    "--auth-local=trust", "--auth-host=reject"},
      .folder = layout.folder,
      .log_file = layout.Log()};
  if (templates.empty()) {
    initdb.arguments.push_back("--pgdata=" + fresh);
    RETURN_IF_ERROR(RunToEnd(account, initdb));
  } else {
    RETURN_IF_ERROR(CopyCluster(account, initdb, templates, fresh));
  }
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

// Removes the lock files of a server that was killed, which would keep PostgreSQL from starting for
// as long as its process number is taken, be it by a zombie.
absl::Status ClearDeadServer(const Layout& layout) {
  RETURN_IF_ERROR(AwaitSessions(layout.Data(), kSessionsPatience));
  RETURN_IF_ERROR(files::Remove(layout.ProcessFile()));
  return files::Remove(layout.SocketLock());
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

bool IsStopping(const Layout& layout) {
  const auto server = FindServer(layout.Data());
  return server.ok() && *server && (*server)->is_stopping;
}

// False when the server has ended or ends instead.
absl::StatusOr<bool> WaitUntilItAnswers(const RunningServer& server, const Layout& layout) {
  const std::string target =
      fmt::format("{} connect_timeout={}", ConnectionStringOf(server.socket_folder, "postgres"),
                  kQuestionSeconds);
  const Clock::time_point end = Clock::now() + kStartPatience;
  for (milliseconds pause = kTick; Clock::now() < end;
       pause = std::min(2 * pause, kLongestQuestionPause)) {
    if (PQping(target.c_str()) == PQPING_OK) return true;
    if (!Runs(server) || IsStopping(layout)) return false;
    std::this_thread::sleep_for(pause);
  }
  return DeadlineExceeded("PostgreSQL does not answer in {}", server.socket_folder);
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
  RunningServer server = ServerOf(process, layout.socket_folder);
  ASSIGN_OR_RETURN(const bool answers, WaitUntilItAnswers(server, layout));
  if (!answers) {
    RETURN_IF_ERROR(EndServer(server, kStrayPatience));
    return Internal("PostgreSQL does not start; {} ends with: {}", layout.Log(),
                    EndOfLog(layout.Log()));
  }
  log::Info("PostgreSQL started", {{"folder", layout.folder}});
  return server;
}

// Returns the server that runs on the cluster when it may be used. Ends any other one.
absl::StatusOr<std::optional<RunningServer>> TakeOver(const Layout& layout,
                                                      const PrivatePostgres::Options& options) {
  ASSIGN_OR_RETURN(std::optional<RunningServer> server, FindServer(layout.Data()));
  if (!server) return server;
  if (server->socket_folder.empty()) server->socket_folder = layout.socket_folder;
  if (!options.ends_with_caller && !server->is_stopping) {
    ASSIGN_OR_RETURN(const bool answers, WaitUntilItAnswers(*server, layout));
    if (answers) return server;
  }
  log::Warn("the process that started PostgreSQL is gone; PostgreSQL is started again",
            {{"process", std::to_string(server->process)}});
  RETURN_IF_ERROR(EndServer(*server, kStrayPatience));
  return std::optional<RunningServer>();
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
  constexpr size_t kMax =
      sizeof(sockaddr_un::sun_path) - std::string_view("/.s.PGSQL.5432").size() - 1;
  // A quoted connection string and setting would be needed for the others.
  const bool plain = path.find_first_of(" ,'\\\"") == std::string::npos;
  if (!path.empty() && path.front() == '/' && path.size() <= kMax && plain) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "socket folder {} is not an absolute path of at most {} bytes without spaces, commas and "
      "quotes",
      path, kMax);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivatePostgres>> PrivatePostgres::Start(
    const std::string& folder, const std::string& socket_folder, const Options& options) {
  RETURN_IF_ERROR(CheckSocketFolder(socket_folder));
  const Layout layout{.folder = folder, .socket_folder = socket_folder};
  ASSIGN_OR_RETURN(const Account account, PostgresAccount(folder));
  const int version = VersionOfCluster(layout.Data());
  ASSIGN_OR_RETURN(const std::string programs, FindPostgresPrograms(version));
  RETURN_IF_ERROR(CheckReach(account, programs));
  RETURN_IF_ERROR(CreateFolderFor(account, folder));
  RETURN_IF_ERROR(CreateFolderFor(account, socket_folder));
  const FolderLock lock(folder);  // So that two starters do not meet.
  const bool fresh = !files::Exists(files::Join(layout.Data(), "PG_VERSION"));
  if (fresh) RETURN_IF_ERROR(MakeCluster(account, programs, layout, options.templates));
  ASSIGN_OR_RETURN(std::optional<RunningServer> server, TakeOver(layout, options));
  if (!server) {
    ASSIGN_OR_RETURN(server, StartServer(account, programs, layout, options));
  }
  RETURN_IF_ERROR(MakeDatabase(server->socket_folder));
  pid_t sync_process = 0;
  if (fresh && options.durable) {
    ASSIGN_OR_RETURN(sync_process, SyncCluster(account, programs, layout));
  }
  return std::unique_ptr<PrivatePostgres>(new PrivatePostgres(*std::move(server), sync_process));
}

std::string PrivatePostgres::ConnectionString(const std::string& database) const {
  return ConnectionStringOf(server_.socket_folder, database);
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
  const absl::Status stopped = EndServer(server_, EndPatience());
  AwaitSync();
  return stopped;
}

}  // namespace tidemill::db
