// Runs the program rpc_test_service, which lies beside this one.
#include "rpc/service_main.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class ServiceMainTest : public ::testing::Test {
 protected:
  ServiceMainTest() {
    EXPECT_THAT(files::WriteAtomically(
                    config_, fmt::format("cluster:\n"
                                         "  state_folder: {0}/state\n"
                                         "  database: none\n"
                                         "  token_file: {0}/tokens\n"
                                         "  endpoints: {{selector: \"unix:{0}/selector\"}}\n",
                                         folder_.path())),
                IsOk());
  }

  // Its log goes to log_.
  pid_t Launch(const std::vector<std::string>& arguments) {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "rpc_test_service";
    std::vector<char*> raw = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
      raw.push_back(const_cast<char*>(argument.c_str()));
    raw.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv(raw[0], raw.data());
    ::_exit(127);
  }

  static int ExitCode(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string Log() const { return files::Read(log_).value_or(""); }

  void WaitForLog(const std::string& text) const {
    while (Log().find(text) == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }

  testing::TokenFolder folder_;
  const std::string config_ = folder_.path() + "/tidemill.yaml";
  const std::string log_ = folder_.path() + "/log";
};

TEST_F(ServiceMainTest, ServesUntilItIsAskedToEnd) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t child = Launch({"--config", config_});
    WaitForLog(fmt::format("listening endpoint=\"unix:{}/selector\"", folder_.path()));
    ASSERT_EQ(::kill(child, signal), 0);
    EXPECT_EQ(ExitCode(child), 0);
    EXPECT_THAT(Log(), HasSubstr("stopping"));
    ASSERT_THAT(files::Remove(log_), IsOk());
  }
}

TEST_F(ServiceMainTest, ListensWhereTheFlagSays) {
  const pid_t child = Launch({"--config", config_, "--listen", "127.0.0.1:0", "--log-json"});
  WaitForLog("\"message\":\"listening\",\"endpoint\":\"127.0.0.1:");
  ASSERT_EQ(::kill(child, SIGTERM), 0);
  EXPECT_EQ(ExitCode(child), 0);
}

TEST_F(ServiceMainTest, EndsWithOneLineThatSaysWhatIsWrong) {
  EXPECT_EQ(ExitCode(Launch({"--config", folder_.path() + "/missing.yaml"})), 1);
  EXPECT_THAT(Log(), HasSubstr("missing.yaml"));
  ASSERT_THAT(files::Remove(log_), IsOk());

  EXPECT_EQ(ExitCode(Launch({"--config", config_, "--listen", "0.0.0.0:0"})), 1);
  EXPECT_THAT(Log(), HasSubstr("off loopback"));
  const std::string log = Log();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST(ServiceContext, KnowsThePeersThatTheConfigurationNames) {
  const testing::TokenFolder folder;
  ServiceContext context;
  context.tokens = folder.tokens();
  context.cluster.endpoints = {{"storage", "unix:/run/storage"}, {"far", "10.0.0.1:80"}};
  const auto peer = context.PeerOf("storage");
  ASSERT_THAT(peer, IsOk());
  EXPECT_EQ(peer->endpoint, "unix:/run/storage");
  EXPECT_EQ(peer->token, folder.TokenOf(v1::ROLE_SERVICE));
  EXPECT_THAT(context.PeerOf("selector"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("selector")));
  EXPECT_THAT(context.PeerOf("far"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("insecure")));
  context.cluster.insecure = true;
  EXPECT_THAT(context.PeerOf("far"), IsOk());
}

}  // namespace
}  // namespace tidemill::rpc
