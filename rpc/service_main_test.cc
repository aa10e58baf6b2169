// Runs the program rpc_test_service, which is beside this one.
#include "rpc/service_main.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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

  ~ServiceMainTest() override { ::close(log_end_); }

  // Its log comes through a pipe.
  pid_t Launch(const std::vector<std::string>& arguments) {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "rpc_test_service";
    std::vector<char*> raw = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
      raw.push_back(const_cast<char*>(argument.c_str()));
    }
    raw.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::execv(raw[0], raw.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    ::close(log_end_);
    log_end_ = ends[0];
    log_.clear();
    return child;
  }

  // Reads the log until it holds the text, or ends.
  void ReadLogUntil(const std::string& text) {
    char buffer[1024];
    ssize_t count = 1;
    while (count > 0 && log_.find(text) == std::string::npos) {
      count = ::read(log_end_, buffer, sizeof(buffer));
      if (count > 0) log_.append(buffer, static_cast<size_t>(count));
    }
  }

  // Waits for the end; log_ is then complete.
  int ExitCode(pid_t child) {
    ReadLogUntil("\n no line is like this");
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  testing::TokenFolder folder_;
  const std::string config_ = folder_.path() + "/tidemill.yaml";
  int log_end_ = -1;
  std::string log_;
};

TEST_F(ServiceMainTest, ServesUntilItIsAskedToEnd) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t child = Launch({"--config", config_});
    const std::string line = fmt::format("listening endpoint=\"unix:{}/selector\"", folder_.path());
    ReadLogUntil(line);
    ASSERT_THAT(log_, HasSubstr(line));
    ASSERT_EQ(::kill(child, signal), 0);
    EXPECT_EQ(ExitCode(child), 0);
    EXPECT_THAT(log_, HasSubstr("stopping"));
  }
}

TEST_F(ServiceMainTest, EndsWithoutDestroyingWhatThreadsOfGrpcStillUse) {
  const pid_t child = Launch({"--config", config_});
  ReadLogUntil("listening");
  ASSERT_EQ(::kill(child, SIGTERM), 0);
  EXPECT_EQ(ExitCode(child), 0);
  EXPECT_THAT(log_, HasSubstr("stopping"));
  EXPECT_THAT(log_, Not(HasSubstr("static objects are destroyed")));
  EXPECT_EQ(ExitCode(Launch({"--config", folder_.path() + "/missing.yaml"})), 1);
  EXPECT_THAT(log_, Not(HasSubstr("static objects are destroyed")));
}

TEST_F(ServiceMainTest, ListensWhereTheFlagSays) {
  const pid_t child = Launch({"--config", config_, "--listen", "127.0.0.1:0", "--log-json"});
  const std::string line = "\"message\":\"listening\",\"endpoint\":\"127.0.0.1:";
  ReadLogUntil(line);
  ASSERT_THAT(log_, HasSubstr(line));
  ASSERT_EQ(::kill(child, SIGTERM), 0);
  EXPECT_EQ(ExitCode(child), 0);
}

TEST_F(ServiceMainTest, DoesNotTakeAnEmptyEndpointForTheConfiguredOne) {
  EXPECT_NE(ExitCode(Launch({"--config", config_, "--listen", ""})), 0);
  EXPECT_THAT(log_, HasSubstr("--listen: the value is empty"));
}

TEST_F(ServiceMainTest, ShowsItsMetricsWhereItIsToldTo) {
  const pid_t child = Launch({"--config", config_, "--metrics", "127.0.0.1:0"});
  ReadLogUntil("listening");
  EXPECT_THAT(log_, HasSubstr("metrics url=\"http://127.0.0.1:"));
  ASSERT_EQ(::kill(child, SIGTERM), 0);
  EXPECT_EQ(ExitCode(child), 0);
}

TEST_F(ServiceMainTest, EndsWithOneLineThatSaysWhatIsWrong) {
  EXPECT_EQ(ExitCode(Launch({"--config", folder_.path() + "/missing.yaml"})), 1);
  EXPECT_THAT(log_, HasSubstr("missing.yaml"));

  EXPECT_EQ(ExitCode(Launch({"--config", config_, "--listen", "0.0.0.0:0"})), 1);
  EXPECT_THAT(log_, HasSubstr("not a loopback address"));
  EXPECT_EQ(std::count(log_.begin(), log_.end(), '\n'), 1) << log_;
}

TEST(ServiceContext, KnowsThePeersThatTheConfigurationNames) {
  const testing::TokenFolder folder;
  ServiceContext context;
  context.tokens = folder.tokens();
  context.cluster.endpoints = {{"storage", "unix:/run/storage"}, {"far", "10.0.0.1:80"}};
  const auto peer = context.PeerOf("storage");
  ASSERT_THAT(peer, IsOk());
  EXPECT_EQ(peer->endpoint, "unix:/run/storage");
  EXPECT_EQ(peer->token.Now(), folder.TokenOf(v1::ROLE_SERVICE));
  EXPECT_THAT(context.PeerOf("selector"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("selector")));
  EXPECT_THAT(context.PeerOf("far"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("insecure")));
  context.cluster.insecure = true;
  EXPECT_THAT(context.PeerOf("far"), IsOk());
}

}  // namespace
}  // namespace tidemill::rpc
