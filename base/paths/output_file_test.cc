#include "base/paths/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::files {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    char folder[] = "/tmp/tidemill-output-XXXXXX";
    folder_ = ::mkdtemp(folder);
  }
  ~OutputFileTest() override { EXPECT_THAT(Remove(folder_), IsOk()); }

  std::string folder_;
};

TEST_F(OutputFileTest, ReplacesAFileAsAWhole) {
  const std::string path = Join(folder_, "report");
  ASSERT_THAT(WriteOutput(path, "one"), IsOk());
  ASSERT_THAT(WriteOutput(path, "two"), IsOk());
  EXPECT_THAT(Read(path), IsOkAndHolds("two"));
  EXPECT_THAT(WriteOutput(folder_, "three"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is a folder")));
}

TEST_F(OutputFileTest, FollowsLinksAndLeavesThem) {
  const std::string link = Join(folder_, "link");
  const std::string target = Join(folder_, "target");
  std::filesystem::create_symlink("second", link);
  std::filesystem::create_symlink(target, Join(folder_, "second"));
  ASSERT_THAT(WriteOutput(link, "one"), IsOk());  // Nothing is there yet.
  ASSERT_THAT(WriteOutput(link, "two"), IsOk());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_symlink(Join(folder_, "second")));
  EXPECT_FALSE(std::filesystem::is_symlink(target));
  EXPECT_THAT(Read(target), IsOkAndHolds("two"));
  std::filesystem::create_symlink("circle", Join(folder_, "circle"));
  EXPECT_FALSE(WriteOutput(Join(folder_, "circle"), "three").ok());
}

TEST_F(OutputFileTest, WritesIntoPipesAndDevices) {
  const std::string pipe = Join(folder_, "pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  {
    std::jthread reader([&] { read = Read(pipe).value_or("nothing"); });
    EXPECT_THAT(WriteOutput(pipe, "through a pipe"), IsOk());
  }
  EXPECT_EQ(read, "through a pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));

  std::filesystem::create_symlink("/dev/full", Join(folder_, "full"));
  for (const std::string& full : {std::string("/dev/full"), Join(folder_, "full")}) {
    EXPECT_THAT(WriteOutput(full, "x"),
                StatusIs(absl::StatusCode::kUnavailable,
                         AllOf(HasSubstr("the disk is full"), HasSubstr(full))));
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_THAT(WriteOutput("/dev/null", "x"), IsOk());
}

}  // namespace
}  // namespace tidemill::files
