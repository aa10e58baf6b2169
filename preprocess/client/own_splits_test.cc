#include "preprocess/client/own_splits.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Split = std::pair<int64_t, int64_t>;

TEST(OwnSplits, BeginAfterTheWindowSoThatNoWorkerHasThem) {
  OwnSplits own(/*end=*/100, /*split_batches=*/4, /*window=*/10);
  // The dispatcher may have issued [8, 12), which begins before batch 10.
  EXPECT_EQ(own.Take(0, 0), Split(12, 16));
  EXPECT_EQ(own.Take(0, 0), Split(16, 20));
  EXPECT_THAT(own.Held(0), ElementsAre(12, 16));
}

TEST(OwnSplits, FollowTheReportAndNotTheProgressThatNobodyKnows) {
  OwnSplits own(100, 4, 10);
  EXPECT_EQ(own.Take(/*reported=*/0, /*done_before=*/9), Split(12, 16));
  EXPECT_EQ(own.Take(/*reported=*/9, /*done_before=*/9), Split(20, 24));
}

TEST(OwnSplits, AreNotMoreThanTheWindow) {
  OwnSplits own(1000, 4, 10);
  EXPECT_TRUE(own.Take(0, 0).has_value());
  EXPECT_TRUE(own.Take(0, 0).has_value());
  EXPECT_EQ(own.Take(0, 0), std::nullopt) << "8 of at most 10 batches are held";
  EXPECT_EQ(own.Take(0, 15), std::nullopt) << "neither is over";
  EXPECT_EQ(own.Take(0, 16), Split(20, 24)) << "the first is over";
}

TEST(OwnSplits, AreForgottenOnceTheyAreDone) {
  OwnSplits own(1000, 4, 10);
  own.Take(0, 0);
  own.Take(0, 0);
  EXPECT_THAT(own.Held(16), ElementsAre(16));
  EXPECT_THAT(own.Held(20), IsEmpty());
}

TEST(OwnSplits, EndWithTheLane) {
  OwnSplits own(/*end=*/14, 4, 10);
  EXPECT_EQ(own.Take(0, 0), Split(12, 14));
  EXPECT_EQ(own.Take(0, 0), std::nullopt);
  EXPECT_EQ(OwnSplits(10, 4, 10).Take(0, 0), std::nullopt) << "workers may have all of it";
}

TEST(OwnSplits, OfASplitLargerThanTheWindowAreOneAtATime) {
  OwnSplits own(100, 16, 10);
  EXPECT_EQ(own.Take(0, 0), Split(16, 32));
  EXPECT_EQ(own.Take(0, 0), std::nullopt);
}

}  // namespace
}  // namespace tidemill::preprocess
