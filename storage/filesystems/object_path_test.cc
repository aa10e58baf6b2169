#include "storage/filesystems/object_path.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

TEST(ObjectPath, PartsBucketAndKey) {
  const auto path = ParseObjectPath("s3://my-bucket.x/a/b c.csv");
  ASSERT_THAT(path, IsOk());
  EXPECT_EQ(path->bucket, "my-bucket.x");
  EXPECT_EQ(path->key, "a/b c.csv");
  EXPECT_EQ(path->ToString(), "s3://my-bucket.x/a/b c.csv");
  EXPECT_EQ(ParseObjectPath("s3://bucket")->ToString(), "s3://bucket");
  EXPECT_EQ(ParseObjectPath("s3://bucket/")->key, "");
  for (const char* wrong : {"", "/data", "s3:/bucket", "s3://", "s3:///a", "s3://ab", "s3://Bucket",
                            "s3://-bucket", "s3://user@host", "s3://bucket?x"}) {
    EXPECT_THAT(ParseObjectPath(wrong), StatusIs(absl::StatusCode::kInvalidArgument, _)) << wrong;
  }
}

TEST(ObjectPath, ARootHasNoSlashAtItsEndAndNoFolderThatMeansAnother) {
  EXPECT_THAT(ObjectRoot("s3://bucket//"), IsOkAndHolds("s3://bucket"));
  EXPECT_THAT(ObjectRoot("s3://bucket/a/b/"), IsOkAndHolds("s3://bucket/a/b"));
  for (const char* wrong : {"s3://bucket/a/../b", "s3://bucket/./b", "s3://bucket//a", "s3://"}) {
    EXPECT_THAT(ObjectRoot(wrong), StatusIs(absl::StatusCode::kInvalidArgument, _)) << wrong;
  }
}

TEST(ObjectPath, OnlyWholeNamesAreBelow) {
  EXPECT_TRUE(IsBelowObjectRoot("s3://bucket/a", "s3://bucket/a"));
  EXPECT_TRUE(IsBelowObjectRoot("s3://bucket/a", "s3://bucket/a/b"));
  EXPECT_TRUE(IsBelowObjectRoot("s3://bucket", "s3://bucket/a"));
  EXPECT_FALSE(IsBelowObjectRoot("s3://bucket/a", "s3://bucket/ab"));
  EXPECT_FALSE(IsBelowObjectRoot("s3://bucket", "s3://bucket2/a"));
  EXPECT_FALSE(IsBelowObjectRoot("s3://bucket/a", "s3://bucket"));
}

TEST(ObjectPath, EveryNameComesBackFromItsEncoding) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(PercentDecode(PercentEncode(all, false)), all);
  EXPECT_EQ(PercentDecode(PercentEncode(all, true)), all);
  EXPECT_EQ(PercentEncode("a/b +~ü", true), "a/b%20%2B~%C3%BC");
  EXPECT_EQ(PercentEncode("a/b", false), "a%2Fb");
  EXPECT_EQ(PercentDecode("a+b%2"), "a b%2");
  EXPECT_EQ(PercentDecode("%zz%e4"), "%zz\xe4");
}

}  // namespace
}  // namespace tidemill::storage
