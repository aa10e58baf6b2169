#include "storage/testing/storage_process.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "rpc/tokens.h"

namespace tidemill::storage::testing {

using ::tidemill::testing::IsOk;

namespace {

std::string MakeFolder() {
  char name[] = "/tmp/tmst.XXXXXX";
  EXPECT_NE(mkdtemp(name), nullptr);
  std::filesystem::create_directories(std::string(name) + "/data");
  return name;
}

}  // namespace

StorageProcess::StorageProcess(const std::string& block_bytes) : folder_(MakeFolder()) {
  EXPECT_THAT(rpc::Tokens::Create(folder_ + "/tokens"), IsOk());
  std::ofstream(folder_ + "/tidemill.yaml")
      << fmt::format(R"(cluster:
  state_folder: {0}/state
  database: "{1}"
  token_file: {0}/tokens
  endpoints: {{storage: "unix:{0}/s"}}
storage:
  allowed_roots: [{0}/data]
  scan_interval: 1h
  settle: 1ms
  block_bytes: {2}
)",
                     folder_, database_.connection_string(), block_bytes);
}

StorageProcess::~StorageProcess() {
  Kill();
  std::filesystem::remove_all(folder_);
}

void StorageProcess::Start(const std::string& failpoints) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tidemill-storage";
  const std::string config = folder_ + "/tidemill.yaml";
  std::vector<std::string> variables = {"TIDEMILL_FAILPOINTS=" + failpoints};
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

StorageClient StorageProcess::ClientAs(rpc::v1::Role role) const {
  const auto tokens = rpc::Tokens::Read(folder_ + "/tokens");
  EXPECT_THAT(tokens, IsOk());
  const auto token = tokens->TokenOf(role);
  EXPECT_THAT(token, IsOk());
  return StorageClient(rpc::Peer{.endpoint = "unix:" + folder_ + "/s", .token = *token});
}

}  // namespace tidemill::storage::testing
