#include "base/disk_full.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::StatusIs;

TEST(DiskFull, IsKnownByItsTextAfterOtherTexts) {
  const absl::Status full = DiskFull("cannot write a: No space left on device");
  EXPECT_THAT(full, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the disk is full")));
  EXPECT_TRUE(IsDiskFull(full));
  EXPECT_TRUE(IsDiskFull(Annotate(full, "trigger 3: select")));
  EXPECT_FALSE(IsDiskFull(Unavailable("the service is away")));
  EXPECT_FALSE(IsDiskFull(absl::OkStatus()));
}

TEST(DiskFull, IsALackOfRoomAndNoLimitOfAFile) {
  EXPECT_TRUE(IsNoRoom(ENOSPC));
  EXPECT_TRUE(IsNoRoom(EDQUOT));
  EXPECT_FALSE(IsNoRoom(EFBIG));
}

}  // namespace
}  // namespace tidemill
