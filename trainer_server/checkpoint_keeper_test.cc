#include "trainer_server/checkpoint_keeper.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "gtest/gtest.h"

#include "trainer_server/testing/kept_room.h"

namespace tidemill::trainer_server {
namespace {

constexpr int64_t kFast = int64_t{1} << 40;

class CheckpointKeeperTest : public testing::KeptRoom {
 protected:
  void Begin(CheckpointKeeper& keeper) {
    keeper.Begin(
        {7, 1}, folder_, [this] { return ClaimOf(attempt_); }, [] { FAIL(); });
  }
  void AwaitPosition(int64_t position) {
    while (KeptPosition() != position) std::this_thread::yield();
  }

  std::atomic<int64_t> attempt_ = 1;
};

TEST_F(CheckpointKeeperTest, SendsTheNewestCheckpointOfATrainingThatRuns) {
  CheckpointKeeper keeper(*kept_, kFast);
  WriteCheckpoint(1, "first");
  WriteCheckpoint(2, "second");
  Begin(keeper);
  AwaitPosition(2);
  EXPECT_EQ(store_.num_put(), 2) << "the newest, and the description of the job";
  WriteCheckpoint(3, "third");
  AwaitPosition(3);
}

TEST_F(CheckpointKeeperTest, SendsNothingMoreOnceTheTrainingHasEnded) {
  // The second piece of a checkpoint would be sent after days.
  auto keeper = std::make_unique<CheckpointKeeper>(*kept_, /*bytes_per_second=*/1);
  WriteCheckpoint(1, std::string(size_t{4} << 20, 'x'));
  Begin(*keeper);
  while (store_.num_begun() == 0) std::this_thread::yield();
  keeper->End({7, 1});
  keeper.reset();
  EXPECT_EQ(KeptPosition(), -1);
}

TEST_F(CheckpointKeeperTest, ASlowSendingEndsWithTheKeeper) {
  auto keeper = std::make_unique<CheckpointKeeper>(*kept_, /*bytes_per_second=*/1);
  WriteCheckpoint(1, std::string(size_t{4} << 20, 'x'));
  Begin(*keeper);
  while (store_.num_begun() == 0) std::this_thread::yield();
  keeper.reset();
  EXPECT_EQ(KeptPosition(), -1);
}

TEST_F(CheckpointKeeperTest, WhatIsRefusedIsSentAgainWithALaterClaim) {
  model_store::v1::KeepJobRequest of_another;
  *of_another.mutable_command() = ClaimOf(2).command;
  of_another.set_trigger(1);
  of_another.set_kind(model_store::v1::JOB_KIND_TRAINING);
  of_another.set_attempt(2);
  of_another.set_position(9);
  of_another.add_files()->set_name("another");
  ASSERT_TRUE(client_->KeepJob(of_another).ok());
  CheckpointKeeper keeper(*kept_, kFast);
  WriteCheckpoint(1, "first");
  Begin(keeper);
  while (store_.num_refused() == 0) std::this_thread::yield();
  EXPECT_EQ(KeptPosition(), 9);
  attempt_ = 3;
  AwaitPosition(1);
  EXPECT_EQ(store_.num_refused(), 1) << "it is not asked again in vain";
}

}  // namespace
}  // namespace tidemill::trainer_server
