#include "db/running_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/private_postgres.h"

namespace tidemill::db {
namespace {

using tidemill::testing::IsOk;

constexpr EndPatience kHasty{.fast = std::chrono::milliseconds{200},
                             .immediate = std::chrono::milliseconds{200}};

class RunningServerTest : public ::testing::Test {
 protected:
  RunningServerTest() {
    char folder[] = "/tmp/tidemill-run-XXXXXX";
    root_ = ::mkdtemp(folder);
    ::chmod(folder, 0711);
  }
  ~RunningServerTest() override {
    if (const auto server = FindServer(Data()); server.ok() && *server) {
      EndServer(**server, kHasty).IgnoreError();
    }
    std::filesystem::remove_all(root_);
  }

  std::string Data() const { return root_ + "/cluster/data"; }
  absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start() const {
    return PrivatePostgres::Start(root_ + "/cluster", root_ + "/s", {.durable = false});
  }

  std::string root_;
};

TEST_F(RunningServerTest, IsFoundByItsDataFolder) {
  EXPECT_EQ(FindServer(Data()).value(), std::nullopt);
  const auto started = Start();
  ASSERT_THAT(started, IsOk());
  const auto found = FindServer(Data());
  ASSERT_THAT(found, IsOk());
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->process, (*started)->process());
  EXPECT_EQ((*found)->socket_folder, root_ + "/s");
  EXPECT_FALSE((*found)->is_stopping);
  EXPECT_TRUE(Runs(**found));
}

TEST_F(RunningServerTest, IsNotTheServerOfAFolderWhoseNameEndsLikeIts) {
  ASSERT_THAT(Start(), IsOk());
  // A copy of the file, as a copy of the whole folder has it.
  const std::string copy = root_ + "/copy/cluster/data";
  ASSERT_THAT(files::CreateFolder(copy), IsOk());
  const auto text = files::Read(Data() + "/postmaster.pid");
  ASSERT_THAT(text, IsOk());
  ASSERT_THAT(files::WriteAtomically(copy + "/postmaster.pid", *text), IsOk());
  EXPECT_EQ(FindServer(copy).value(), std::nullopt);
}

TEST_F(RunningServerTest, IsNotAProcessThatGotItsNumber) {
  RunningServer other = ServerOf(::getpid(), "");
  EXPECT_TRUE(Runs(other));
  ++other.start;
  EXPECT_FALSE(Runs(other));
  EXPECT_THAT(EndServer(other, kHasty), IsOk());  // This test is still here.
}

TEST_F(RunningServerTest, EndsEvenWhereItTakesNoSignalButTheLast) {
  ASSERT_THAT(Start(), IsOk());
  const auto found = FindServer(Data());
  ASSERT_THAT(found, IsOk());
  ASSERT_TRUE(*found);
  ASSERT_EQ(::kill((*found)->process, SIGSTOP), 0);
  EXPECT_THAT(EndServer(**found, kHasty), IsOk());
  EXPECT_FALSE(Runs(**found));
  EXPECT_THAT(AwaitSessions(Data(), kHasty.fast), IsOk());
  const auto again = Start();
  ASSERT_THAT(again, IsOk());
  EXPECT_NE((*again)->process(), (*found)->process);
}

}  // namespace
}  // namespace tidemill::db
