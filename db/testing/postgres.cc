#include "db/testing/postgres.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace tidemill::db::testing {
namespace {

[[noreturn]] void Fail(const std::string& reason) {
  std::fprintf(stderr, "no PostgreSQL for tests: %s\n", reason.c_str());
  std::abort();
}

// Starts a shell that waits until this process, however, has ended and its end of a pipe
// with it; then stops the server and removes its folder.
void CleanUpWhenThisProcessEnds(pid_t server, const std::string& folder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) Fail("pipe");
  const std::string script = fmt::format(
      "( read -r _ <&3; kill -INT {0}; n=0; while [ -e '{1}/cluster/data/postmaster.pid' ] && "
      "[ $n -lt 100 ]; do sleep 0.05; n=$((n+1)); done; kill -KILL {0}; rm -rf '{1}' ) "
      ">/dev/null 2>&1 &",
      server, folder);
  const char* const arguments[] = {"/bin/sh", "-c", script.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t shell = 0;
  if (::posix_spawn(&shell, "/bin/sh", &actions, &attributes, const_cast<char**>(arguments),
                    environ) != 0) {
    Fail("posix_spawn");
  }
  ::waitpid(shell, nullptr, 0);
  ::close(ends[0]);  // ends[1] stays open for good.
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
}

PrivatePostgres* StartServer() {
  char folder[] = "/tmp/tidemill-test-XXXXXX";
  if (::mkdtemp(folder) == nullptr) Fail("mkdtemp");
  ::chmod(folder, 0711);  // The server's user passes through; its own folders below are 0700.
  const std::string root = folder;
  auto server = PrivatePostgres::Start(root + "/cluster", root + "/s",
                                       {.durable = false, .templates = ClusterTemplates()});
  if (!server.ok()) Fail(server.status().ToString());
  CleanUpWhenThisProcessEnds((*server)->process(), root);
  return server->release();
}

void Execute(const std::string& sql) {
  const std::string target = TestServer().ConnectionString("postgres");
  PGconn* const connection = PQconnectdb(target.c_str());
  PGresult* const result = PQexec(connection, sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  const std::string error = PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) Fail(error);
}

std::string NextName() {
  static std::atomic<int> count = 0;
  return fmt::format("test_{}", ++count);
}

}  // namespace

std::string ClusterTemplates() {
  return fmt::format("/tmp/tidemill-test-clusters-{}", ::geteuid());
}

PrivatePostgres& TestServer() {
  static PrivatePostgres* const server = StartServer();
  return *server;
}

TestDatabase::TestDatabase()
    : name_(NextName()), connection_string_(TestServer().ConnectionString(name_)) {
  // Copied file by file, which costs half of what goes through the log.
  Execute("CREATE DATABASE " + name_ + " STRATEGY file_copy");
}

TestDatabase::~TestDatabase() { Execute("DROP DATABASE " + name_ + " WITH (FORCE)"); }

void TestDatabase::EndSessions() {
  Execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name_ + "'");
}

}  // namespace tidemill::db::testing
