// Workers that are lost, and what becomes of their leases.
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_fixture.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::DispatcherTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;

using DispatcherLossesTest = DispatcherTest;

TEST_F(DispatcherLossesTest, IssuesALostWorkersSplitsAgainButNeverItsDoneBatches) {
  const int64_t job = life_.CreateJob({});
  const Incarnation dies = life_.Register("dies");
  const Incarnation lives = life_.Register("lives");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {dies, lives}}), IsOk());
  EXPECT_THAT(Lease(dies, 2), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  EXPECT_THAT(Lease(lives, 1), ElementsAre("0:[8,12)x1"));
  life_.Pass(seconds{2});
  EXPECT_THAT(life_.Lease(lives, 0), IsOk());
  life_.Pass(seconds{2});
  EXPECT_EQ(WorkerOf(dies).state(), v1::WORKER_STATE_LOST);
  EXPECT_EQ(WorkerOf(lives).state(), v1::WORKER_STATE_ALIVE);
  ASSERT_THAT(
      life_.Report({.job_id = job, .lanes = {{.done_before = 5}}, .connected = {dies, lives}}),
      IsOk());
  EXPECT_THAT(Lease(lives, 9),
              ElementsAre("0:[5,8)x2", "0:[12,16)x1", "0:[16,20)x1", "0:[20,24)x1"));
  EXPECT_EQ(life_->ListJobs().jobs(0).num_reissued(), 1);
  EXPECT_THAT(Lease(dies, 1), ElementsAre(HasSubstr("NOT_FOUND")));
}

TEST_F(DispatcherLossesTest, AWorkerThatKeepsWhatAConsumerWaitsForIsLostTheSecondTime) {
  const int64_t job = life_.CreateJob({});
  const Incarnation keeps = life_.Register("keeps");
  const Incarnation gives = life_.Register("gives");
  const auto report = [&](int64_t done_before, const std::vector<int64_t>& missed) {
    return life_.Report({.job_id = job,
                         .lanes = {{.done_before = done_before, .missed = missed}},
                         .connected = {keeps, gives}});
  };
  ASSERT_THAT(report(0, {}), IsOk());
  EXPECT_THAT(Lease(keeps, 2), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  ASSERT_THAT(report(1, {0}), IsOk());
  EXPECT_EQ(WorkerOf(keeps).state(), v1::WORKER_STATE_ALIVE);
  EXPECT_THAT(Lease(gives, 1), ElementsAre("0:[1,4)x2"));
  ASSERT_THAT(report(5, {4}), IsOk());
  EXPECT_EQ(WorkerOf(keeps).state(), v1::WORKER_STATE_LOST);
  EXPECT_EQ(WorkerOf(keeps).lost_because(), "did not send what it had leased");
  EXPECT_THAT(Lease(keeps, 1), ElementsAre(HasSubstr("did not send what it had leased")));
  EXPECT_THAT(Lease(gives, 1), ElementsAre("0:[5,8)x2"));
  // No worker has what is missed.
  ASSERT_THAT(report(20, {19}), IsOk());
  EXPECT_EQ(WorkerOf(gives).state(), v1::WORKER_STATE_ALIVE);
}

TEST_F(DispatcherLossesTest, AWorkerThatIsNotTrustedIsLostAtOnce) {
  const int64_t job = life_.CreateJob({});
  const Incarnation liar = life_.Register("liar");
  const Incarnation other = life_.Register("other");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {liar, other}}), IsOk());
  EXPECT_THAT(Lease(liar, 1), ElementsAre("0:[0,4)x1"));
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {other}, .distrusted = {liar}}), IsOk());
  EXPECT_EQ(WorkerOf(liar).state(), v1::WORKER_STATE_LOST);
  EXPECT_THAT(WorkerOf(liar).lost_because(), HasSubstr("sent batch -1"));
  EXPECT_THAT(Lease(other, 1), ElementsAre("0:[0,4)x2"));
  life_.Pass(milliseconds{100});
  life_.Restart();
  EXPECT_EQ(WorkerOf(liar).state(), v1::WORKER_STATE_LOST);
}

}  // namespace
}  // namespace tidemill::preprocess
