#include "base/paths/own_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"

namespace tidemill::files {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;
using tidemill::testing::TempFolder;

class OwnFolder : public ::testing::Test {
 protected:
  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/own";

  void ExpectRefused(const std::string& because) const {
    const auto refused = StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(because));
    EXPECT_THAT(MakeOwnFolder(path_), refused);
    EXPECT_THAT(CheckOwnFolder(path_), refused);
  }
};

TEST_F(OwnFolder, IsMadeForThisUserAloneAndTakenAgain) {
  EXPECT_THAT(CheckOwnFolder(path_), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path_)));
  EXPECT_THAT(MakeOwnFolder(path_), IsOk());
  struct stat about = {};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
  EXPECT_THAT(MakeOwnFolder(path_), IsOk());
}

TEST_F(OwnFolder, IsNotASymbolicLink) {
  std::filesystem::create_directory(folder_.path() + "/target");
  std::filesystem::create_symlink(folder_.path() + "/target", path_);
  ExpectRefused("is a symbolic link");
}

TEST_F(OwnFolder, IsNotAFile) {
  std::ofstream(path_) << "text";
  ExpectRefused("is not a folder");
}

TEST_F(OwnFolder, IsNotOpenToOthers) {
  std::filesystem::create_directory(path_);
  for (const mode_t mode : {0755U, 0710U, 0702U}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    ExpectRefused("is open to other users");
  }
}

// Only root can give a folder to another user.
TEST_F(OwnFolder, IsNotOneOfAnotherUser) {
  std::filesystem::create_directory(path_);
  ASSERT_EQ(chmod(path_.c_str(), 0700), 0);
  if (chown(path_.c_str(), 12345, 12345) != 0) {
    std::printf("not tried: this user cannot give a folder away\n");
    return;
  }
  ExpectRefused("belongs to user 12345");
}

TEST_F(OwnFolder, NeedsAParent) {
  EXPECT_THAT(MakeOwnFolder(path_ + "/below"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("its parent is missing")));
}

}  // namespace
}  // namespace tidemill::files
