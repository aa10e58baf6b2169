#include "trainer_server/preparation.h"

#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(Preparation, GrowsWithTheCoresOfTheMachine) {
  const v1::Preparation small = PreparationFor({}, 0, 2);
  EXPECT_EQ(small.threads(), 2);
  EXPECT_EQ(small.most_threads(), 32);
  EXPECT_EQ(small.bytes_ahead(), 64 * kMiB);
  const v1::Preparation large = PreparationFor({}, 0, 16);
  EXPECT_EQ(large.threads(), 16);
  EXPECT_EQ(large.most_threads(), 64);
  EXPECT_EQ(large.bytes_ahead(), 512 * kMiB);
}

TEST(Preparation, IsSharedByTheTrainingsThatRunAtOnce) {
  const v1::Preparation shared =
      PreparationFor({.cpu_slots = 8, .loader_memory = {256 * kMiB}}, 1, 32);
  EXPECT_EQ(shared.threads(), 4);
  EXPECT_EQ(shared.bytes_ahead(), 32 * kMiB);
  EXPECT_EQ(PreparationFor({}, 8, 4).threads(), 2) << "never less than two";
}

TEST(Preparation, KeepsToWhatTheConfigurationSays) {
  const v1::Preparation asked =
      PreparationFor({.loader_threads = 3, .loader_memory = {1 * kMiB}}, 0, 64);
  EXPECT_EQ(asked.threads(), 3);
  EXPECT_EQ(asked.most_threads(), 0) << "their number is fixed";
  EXPECT_EQ(asked.bytes_ahead(), 16 * kMiB) << "the least that makes sense";
  EXPECT_EQ(PreparationFor({.loader_most_threads = 8}, 0, 2).most_threads(), 8);
  const v1::Preparation both =
      PreparationFor({.loader_threads = 3, .loader_most_threads = 12}, 0, 64);
  EXPECT_EQ(both.threads(), 3);
  EXPECT_EQ(both.most_threads(), 12);
  EXPECT_EQ(PreparationFor({}, 0, 2).share_bytes(), 256 * kMiB);
  EXPECT_EQ(PreparationFor({.share_window = {0}}, 0, 2).share_bytes(), 0);
}

}  // namespace
}  // namespace tidemill::trainer_server
