#include "storage/testing/storage_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "rpc/access/tokens.h"

namespace tidemill::storage::testing {

using ::tidemill::testing::IsOk;

namespace {

std::string MakeFolder(const std::string& root) {
  std::string name = root + "/tmst.XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  std::filesystem::create_directories(name + "/data");
  return name;
}

// Free now, and not given to another process for a while.
int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(probe, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(probe);
  return ntohs(address.sin_port);
}

}  // namespace

StorageProcess::StorageProcess(StorageSettings settings)
    : settings_(std::move(settings)),
      folder_(MakeFolder(settings_.root)),
      endpoint_(settings_.tcp ? fmt::format("127.0.0.1:{}", FreePort())
                              : "unix:" + folder_ + "/s") {
  std::string roots = folder_ + "/data";
  for (const std::string& root : settings_.allowed_roots) roots += ", \"" + root + "\"";
  EXPECT_THAT(rpc::Tokens::Create(folder_ + "/tokens"), IsOk());
  std::ofstream(folder_ + "/tidemill.yaml")
      << fmt::format(R"(cluster:
  state_folder: {0}/state
  database: "{1}"
  token_file: {0}/tokens
  endpoints: {{storage: "{4}"}}
storage:
  allowed_roots: [{2}]
  scan_interval: 1h
  settle: 1ms
  block_bytes: {5}
{3})",
                     folder_, database_.connection_string(), roots, settings_.section, endpoint_,
                     settings_.block_bytes);
}

StorageProcess::~StorageProcess() {
  Kill();
  std::filesystem::remove_all(folder_);
}

void StorageProcess::Start(const std::string& failpoints) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tidemill-storage";
  const std::string config = folder_ + "/tidemill.yaml";
  std::vector<std::string> variables = settings_.variables;
  variables.push_back("TIDEMILL_FAILPOINTS=" + failpoints);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const char* arguments[] = {program.c_str(), "--config", config.c_str(), nullptr};
  ASSERT_EQ(posix_spawn(&process_, program.c_str(), nullptr, nullptr,
                        const_cast<char* const*>(arguments), environment.data()),
            0);
}

void StorageProcess::Kill() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  AwaitEnd();
}

void StorageProcess::AwaitEnd() {
  if (process_ == 0) return;
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
}

rpc::Peer StorageProcess::PeerAs(rpc::v1::Role role) const {
  const auto tokens = rpc::Tokens::Read(folder_ + "/tokens");
  EXPECT_THAT(tokens, IsOk());
  const auto token = tokens->TokenOf(role);
  EXPECT_THAT(token, IsOk());
  return {.endpoint = endpoint_, .token = *token};
}

}  // namespace tidemill::storage::testing
