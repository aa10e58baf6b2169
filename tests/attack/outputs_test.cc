// Where a command's output goes when it cannot go there, or should not.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Through a shell, which redirects as a user's does.
CommandResult Shell(const std::string& words, const std::string& scratch) {
  const std::string command =
      "PATH=" + ProgramFolder() + ":$PATH; { " + words + "; } 2>" + scratch + "/shell.err";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = "",
          .err = Slurp(scratch + "/shell.err")};
}

TEST(Outputs, ACommandWhoseOutputIsLostFails) {
  const Stack stack;
  // Short and long outputs, help, and JSON.
  for (const char* const command :
       {"status", "status --json", "--help", "run --help", "completion bash", "doctor"}) {
    const std::string state = std::string(command).find("help") != std::string::npos ||
                                      std::string(command).starts_with("completion")
                                  ? ""
                                  : " --state " + stack.state();
    const CommandResult whole =
        Shell(std::string("tidemill ") + command + state + " >/dev/null", stack.files());
    const CommandResult lost =
        Shell(std::string("tidemill ") + command + state + " >/dev/full", stack.files());
    EXPECT_EQ(lost.exit_code, whole.exit_code == 0 ? 1 : whole.exit_code) << command;
    EXPECT_THAT(lost.err, HasSubstr("the output could not be written")) << command;
  }
}

TEST(Outputs, AReportReplacesNothingButFiles) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult run =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--max-triggers", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  const std::string id = run.Json().at("run").dump();
  const auto report = [&](const std::string& output) {
    return stack.Tidemill({"report", id, "-o", output});
  };
  struct stat device {};
  const CommandResult full = report("/dev/full");
  EXPECT_EQ(full.exit_code, 1) << full.out;
  EXPECT_THAT(full.err, HasSubstr("/dev/full: No space left"));
  ASSERT_EQ(stat("/dev/full", &device), 0);
  EXPECT_TRUE(S_ISCHR(device.st_mode));

  const std::string link = stack.files() + "/link";
  fs::create_symlink("page.html", link);
  EXPECT_EQ(report(link).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(Slurp(stack.files() + "/page.html"), HasSubstr("<html"));

  const std::string pipe = stack.files() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string page;
  {
    const std::jthread reader([&] { page = Slurp(pipe); });
    EXPECT_EQ(report(pipe).exit_code, 0);
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THAT(page, HasSubstr("<html"));
}

TEST(Outputs, AFolderThatCannotBeWrittenSaysNothingOfTokens) {
  const Stack stack;
  // No user can make folders there, not even root.
  const CommandResult up = RunTidemill({"up", "--state", "/sys/tidemill"}, {}, stack.files());
  EXPECT_NE(up.exit_code, 0);
  EXPECT_THAT(up.err, AllOf(HasSubstr("/sys/tidemill"), Not(HasSubstr("token"))));
}

TEST(Outputs, AQuarantineShowsNamesThatAreNoneAndSaysHowMuchOfItIsNotShown) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  WriteSmallPipeline(stack.files());
  for (int i = 0; i < 30; ++i) {
    std::ofstream(stack.files() + "/\xff\x1b" + std::to_string(i) + ".csv") << "time,a,b,c,class\n";
  }
  const std::string datasets = stack.files() + "/datasets.yaml";
  std::ofstream(datasets) << "datasets:\n  odd:\n    path: " << stack.files() << R"(
    files: "*.csv"
    format: {type: csv, header: true}
    event_time: {column: time}
    label: {column: class, classes: [DOWN, UP]}
    settle: 0s
)";
  const CommandResult registered = stack.Tidemill({"datasets", "register", datasets});
  ASSERT_EQ(registered.exit_code, 0) << registered.err << stack.Logs();
  // Either the watcher or this call finds them first.
  ASSERT_EQ(stack.Tidemill({"datasets", "sync", "odd"}).exit_code % 8, 0) << stack.Logs();
  const CommandResult some = stack.Tidemill({"datasets", "quarantine", "odd"});
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.out, AllOf(HasSubstr("\\xff\\x1b"), HasSubstr("not UTF-8"),
                              HasSubstr("and 10 more; --limit 0 shows all")));
  EXPECT_THAT(some.out, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
  const CommandResult all = stack.Tidemill({"datasets", "quarantine", "odd", "--limit", "0"});
  EXPECT_THAT(all.out, Not(HasSubstr("more;")));
  EXPECT_EQ(stack.Tidemill({"datasets", "quarantine", "odd", "--limit", "-1"}).exit_code, 2);
}

}  // namespace
}  // namespace tidemill::tests
