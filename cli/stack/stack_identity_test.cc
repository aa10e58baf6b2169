#include "cli/stack/stack_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class StackIdentityTest : public ::testing::Test {
 protected:
  StackIdentityTest() {
    char pattern[] = "/tmp/tidemill-identity-XXXXXX";
    root_ = mkdtemp(pattern);
    layout_ = At("state");
    EXPECT_THAT(files::CreateFolder(layout_.state_folder), IsOk());
  }
  ~StackIdentityTest() override { fs::remove_all(root_); }

  // A state folder and a database elsewhere, as root has them.
  StackLayout At(const std::string& name) const {
    StackLayout layout;
    layout.state_folder = root_ + "/" + name;
    layout.database_folder = root_ + "/database";
    return layout;
  }

  void MakeDatabase() {
    EXPECT_THAT(files::CreateFolder(layout_.database_folder + "/data"), IsOk());
    EXPECT_THAT(files::WriteAtomically(layout_.database_folder + "/data/PG_VERSION", "15\n"),
                IsOk());
  }

  // What a first start does.
  void Bind() {
    ASSERT_THAT(CheckIdentity(layout_), IsOk());
    MakeDatabase();
    ASSERT_THAT(KeepIdentity(layout_), IsOk());
  }

  static auto Refused(const std::string& why) {
    return StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(why));
  }

  std::string root_;
  StackLayout layout_;
};

TEST_F(StackIdentityTest, APairKnowsItselfFromStartToStart) {
  Bind();
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
  EXPECT_EQ(KnownDatabaseFolder(layout_.state_folder), layout_.database_folder);
}

TEST_F(StackIdentityTest, APairOfAnOlderVersionIsTakenOver) {
  MakeDatabase();
  EXPECT_THAT(files::WriteAtomically(layout_.ConfigFile(), ""), IsOk());
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
  ASSERT_THAT(KeepIdentity(layout_), IsOk());
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
}

TEST_F(StackIdentityTest, AFolderThatAnOlderVersionHasUsedGetsNoEmptyDatabase) {
  EXPECT_THAT(files::WriteAtomically(layout_.ConfigFile(), "cluster:\n"), IsOk());
  EXPECT_THAT(CheckIdentity(layout_), Refused("move it back"));
}

TEST_F(StackIdentityTest, SettingsMayBeWrittenBeforeTheFirstStart) {
  EXPECT_THAT(files::WriteAtomically(layout_.ConfigFile(), "engine: {backend: local}\n"), IsOk());
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
}

TEST_F(StackIdentityTest, AMovedFolderKeepsItsDatabase) {
  Bind();
  const StackLayout moved = At("moved");
  fs::rename(layout_.state_folder, moved.state_folder);
  EXPECT_EQ(KnownDatabaseFolder(moved.state_folder), layout_.database_folder);
  EXPECT_THAT(CheckIdentity(moved), IsOk());
  ASSERT_THAT(KeepIdentity(moved), IsOk());
  EXPECT_THAT(CheckIdentity(moved), IsOk());
}

TEST_F(StackIdentityTest, ACopyGetsNoPartOfTheDatabase) {
  Bind();
  const StackLayout copy = At("copy");
  fs::copy(layout_.state_folder, copy.state_folder, fs::copy_options::recursive);
  EXPECT_THAT(CheckIdentity(copy), Refused("is a copy of " + layout_.state_folder));
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
  // Once the original is gone, the copy takes its place.
  fs::remove_all(layout_.state_folder);
  EXPECT_THAT(CheckIdentity(copy), IsOk());
}

TEST_F(StackIdentityTest, ADatabaseHasOneOwner) {
  const auto ownership_of = [](const StackLayout& layout) {
    return OwnerOfDatabase(layout).ownership;
  };
  EXPECT_EQ(ownership_of(layout_), DatabaseOwnership::kNone);
  Bind();
  EXPECT_EQ(ownership_of(layout_), DatabaseOwnership::kOwn);
  EXPECT_EQ(ownership_of(At("another")), DatabaseOwnership::kAnothers);
  const StackLayout copy = At("copy");
  fs::copy(layout_.state_folder, copy.state_folder, fs::copy_options::recursive);
  EXPECT_EQ(ownership_of(copy), DatabaseOwnership::kOriginals);
  EXPECT_EQ(OwnerOfDatabase(copy).state_folder, layout_.state_folder);
  const StackLayout moved = At("moved");
  fs::rename(layout_.state_folder, moved.state_folder);
  EXPECT_EQ(ownership_of(moved), DatabaseOwnership::kMoved);
  EXPECT_EQ(ownership_of(copy),
            DatabaseOwnership::kMoved);  // One of the two: it cannot be told which.
  ASSERT_THAT(KeepIdentity(moved), IsOk());
  EXPECT_EQ(ownership_of(moved), DatabaseOwnership::kOwn);
  EXPECT_EQ(ownership_of(copy), DatabaseOwnership::kOriginals);
  fs::create_directory(layout_.state_folder);
  EXPECT_EQ(ownership_of(layout_), DatabaseOwnership::kAnothers);
}

TEST_F(StackIdentityTest, AStateFolderIsOneByWhatAStackHasWritten) {
  EXPECT_FALSE(IsStateFolder(layout_.state_folder));
  const auto write = [&](const std::string& name) {
    EXPECT_THAT(files::WriteAtomically(layout_.state_folder + "/" + name, ""), IsOk());
  };
  write("token");
  EXPECT_FALSE(IsStateFolder(layout_.state_folder));
  write("stack.users");
  EXPECT_TRUE(IsStateFolder(layout_.state_folder)) << "a start was cut off";
  write("thesis.tex");
  EXPECT_FALSE(IsStateFolder(layout_.state_folder));
  write("tidemill.yaml");
  EXPECT_TRUE(IsStateFolder(layout_.state_folder)) << "an older version has used it";
  fs::remove(layout_.state_folder + "/tidemill.yaml");
  Bind();
  EXPECT_TRUE(IsStateFolder(layout_.state_folder));
}

TEST_F(StackIdentityTest, ALostDatabaseIsNamed) {
  Bind();
  fs::remove_all(layout_.database_folder);
  EXPECT_THAT(CheckIdentity(layout_), Refused("is gone from " + layout_.database_folder));
}

TEST_F(StackIdentityTest, ANewFolderDoesNotInheritAnOldDatabase) {
  Bind();
  fs::remove_all(layout_.state_folder);
  ASSERT_THAT(files::CreateFolder(layout_.state_folder), IsOk());
  EXPECT_THAT(CheckIdentity(layout_), Refused("rm -r " + layout_.database_folder));
}

TEST_F(StackIdentityTest, AStartThatWasCutOffIsBegunAgain) {
  Bind();
  fs::remove(layout_.database_folder + "/identity");
  EXPECT_THAT(CheckIdentity(layout_), IsOk());
  ASSERT_THAT(KeepIdentity(layout_), IsOk());
  EXPECT_TRUE(files::Exists(layout_.database_folder + "/identity"));
}

}  // namespace
}  // namespace tidemill::cli
