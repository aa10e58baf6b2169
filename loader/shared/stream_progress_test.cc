#include "loader/shared/stream_progress.h"

#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

TEST(StreamProgress, IsTheFirstThatIsNotMadeHoweverThreadsEnd) {
  StreamProgress progress(10, 1, /*in_order=*/true);
  EXPECT_EQ(progress.Begin(14, 3), 1);
  EXPECT_EQ(progress.Begin(10, 1), 1);
  EXPECT_EQ(progress.Begin(18, 5), 1);
  EXPECT_EQ(progress.End(14, 18, 5), 1);
  EXPECT_EQ(progress.End(18, 20, 6), 1);
  EXPECT_EQ(progress.End(10, 14, 3), 6);
  progress.Begin(12, 2);
  EXPECT_EQ(progress.End(12, 14, 3), 6) << "what is made again changes nothing";
}

TEST(StreamProgress, GrowsWithEachChunkOfACall) {
  StreamProgress progress(0, 0, /*in_order=*/true);
  EXPECT_EQ(progress.Begin(0, 0), 0);
  EXPECT_EQ(progress.Begin(0, 1), 1);
  EXPECT_EQ(progress.Begin(10, 3), 1);
  EXPECT_EQ(progress.Begin(10, 4), 1);
  EXPECT_EQ(progress.Begin(0, 3), 3) << "the next call may begin in the last chunk of this one";
  EXPECT_EQ(progress.End(0, 10, 3), 4);
}

TEST(StreamProgress, OfAConsumerThatMakesSomeIsTheFirstThatIsBeingMade) {
  StreamProgress progress(0, 0, /*in_order=*/false);
  progress.Begin(4, 1);
  progress.Begin(20, 9);
  EXPECT_EQ(progress.End(4, 8, 2), 9);
  EXPECT_EQ(progress.End(20, 24, 11), 11);
}

}  // namespace
}  // namespace tidemill::loader
