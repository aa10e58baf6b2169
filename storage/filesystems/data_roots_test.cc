#include "storage/filesystems/data_roots.h"

#include <filesystem>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/data_folder.h"

namespace tidemill::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::HasSubstr;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

constexpr auto kNotFound = absl::StatusCode::kNotFound;

class DataRootsTest : public ::testing::Test {
 protected:
  std::string Inside(const std::string& name) const { return data_.path() + "/" + name; }
  std::string Outside(const std::string& name) const { return other_.path() + "/" + name; }
  absl::StatusOr<std::string> Resolve(const std::string& path) const {
    return DataRoots({data_.path()}).Resolve(path);
  }

  testing::DataFolder data_, other_;
};

TEST_F(DataRootsTest, APathBelowARootIsResolvedWithItsLinks) {
  data_.Write("a/b.csv", "1");
  fs::create_symlink("a", Inside("relative"));
  fs::create_symlink(Inside("a/../a/b.csv"), Inside("absolute"));
  EXPECT_THAT(Resolve(data_.path()), IsOkAndHolds(data_.path()));
  EXPECT_THAT(Resolve(data_.path() + "//a/./x/../b.csv/"), IsOkAndHolds(Inside("a/b.csv")));
  EXPECT_THAT(Resolve(Inside("relative/b.csv")), IsOkAndHolds(Inside("a/b.csv")));
  EXPECT_THAT(Resolve(Inside("absolute")), IsOkAndHolds(Inside("a/b.csv")));
}

TEST_F(DataRootsTest, ARootThatIsALinkIsKnownByBothItsNames) {
  data_.Write("a.csv", "1");
  fs::create_symlink(data_.path(), Outside("root"));
  const DataRoots roots({Outside("root")});
  EXPECT_THAT(roots.Resolve(Outside("root/a.csv")), IsOkAndHolds(Inside("a.csv")));
  EXPECT_THAT(roots.Resolve(Inside("a.csv")), IsOkAndHolds(Inside("a.csv")));
  EXPECT_THAT(roots.Resolve(Outside("b.csv")), StatusIs(kInvalid, _));
}

TEST_F(DataRootsTest, NothingOutsideIsRevealed) {
  fs::create_symlink(other_.path(), Inside("folder"));
  fs::create_symlink(Outside("secret"), Inside("file"));
  fs::create_symlink("../../../../../../../" + Outside("secret"), Inside("up"));
  fs::create_symlink(Inside("file"), Inside("twice"));
  const std::vector<std::string> asked = {Outside("secret"),
                                          Outside("secret/below"),
                                          data_.path() + "/../" + "secret",
                                          Inside("file"),
                                          Inside("folder"),
                                          Inside("folder/secret"),
                                          Inside("up"),
                                          Inside("twice"),
                                          data_.path() + "2",
                                          "/proc/self/environ",
                                          std::string("/") + '\0' + data_.path()};
  std::vector<std::string> absent;
  for (const std::string& path : asked) {
    const auto resolved = Resolve(path);
    EXPECT_THAT(resolved, StatusIs(kInvalid, HasSubstr("none of the allowed"))) << path;
    absent.push_back(resolved.status().ToString());
  }
  other_.Write("secret", "42");
  for (size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(Resolve(asked[i]).status().ToString(), absent[i]) << asked[i];
  }
}

// The kernel follows `elsewhere` before it goes up; by its text alone the path would be inside.
TEST_F(DataRootsTest, AWayUpAfterALinkLeadsUpFromItsTarget) {
  fs::create_directory(Outside("folder"));
  other_.Write("secret.csv", "42");
  data_.Write("secret.csv", "a decoy");
  fs::create_symlink(Outside("folder"), Inside("elsewhere"));
  fs::create_symlink("elsewhere/../secret.csv", Inside("relative.csv"));
  fs::create_symlink(Inside("elsewhere/../secret.csv"), Inside("absolute.csv"));
  fs::create_symlink("/" + Outside("folder") + "/.." + Inside("secret.csv"), Inside("round.csv"));
  for (const char* name : {"relative.csv", "absolute.csv", "round.csv"}) {
    EXPECT_THAT(Resolve(Inside(name)), StatusIs(kInvalid, HasSubstr("none of the allowed")))
        << name;
  }
  data_.Write("a/b/c.csv", "1");
  fs::create_symlink("a/b", Inside("inside"));
  fs::create_symlink("inside/../b/c.csv", Inside("up.csv"));
  EXPECT_THAT(Resolve(Inside("up.csv")), IsOkAndHolds(Inside("a/b/c.csv")));
}

TEST_F(DataRootsTest, WhatIsMissingInsideIsSaidToBe) {
  EXPECT_THAT(Resolve(Inside("none")), StatusIs(kNotFound, HasSubstr("there is no")));
  fs::create_symlink("nowhere", Inside("dangling"));
  EXPECT_THAT(Resolve(Inside("dangling")), StatusIs(kNotFound, _));
  fs::create_symlink("circle", Inside("circle"));
  EXPECT_THAT(Resolve(Inside("circle")), StatusIs(kNotFound, HasSubstr("circle")));
  EXPECT_THAT(Resolve("data"), StatusIs(kInvalid, HasSubstr("not absolute")));
}

TEST_F(DataRootsTest, AStoreIsNotAskedAndItsRootsAreFolders) {
  const DataRoots roots({"s3://bucket/data", data_.path()});
  EXPECT_THAT(roots.Resolve("s3://bucket/data/x/"), IsOkAndHolds("s3://bucket/data/x"));
  EXPECT_THAT(roots.Resolve("s3://bucket/data2"), StatusIs(kInvalid, HasSubstr("none of")));
  EXPECT_THAT(roots.Resolve("s3://bucket/data/../x"), StatusIs(kInvalid, _));
  EXPECT_THAT(DataRoots({}).Resolve(data_.path()), StatusIs(kInvalid, _));
}

}  // namespace
}  // namespace tidemill::storage
