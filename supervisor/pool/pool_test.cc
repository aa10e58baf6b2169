#include "supervisor/pool/pool.h"

#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "supervisor/migrations.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr Duration kTimeout{10'000'000};

// A pool on its own database, on a clock that the test sets. Runs 1 to 3 are of a pipeline each.
class PoolTest : public ::testing::Test {
 protected:
  PoolTest() {
    auto database = db::Database::Connect(test_database_.connection_string());
    EXPECT_THAT(database, IsOk());
    database_ = *std::move(database);
    EXPECT_THAT(db::Migrate(*database_, "supervisor", Migrations()), IsOk());
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      for (int i = 1; i <= 3; ++i) {
        const PipelineName name{.name_space = "default", .name = fmt::format("p{}", i)};
        pipelines_.push_back(SavePipeline(work, name, "", ""));
        runs_.push_back(InsertRun(work, pipelines_.back(), "", ""));
      }
      return absl::OkStatus();
    }),
                IsOk());
    Restart();
  }

  // Acts as a new process, as far as the database can tell.
  void Restart() {
    pool_.reset();
    auto pool = Pool::Open(
        *database_, kTimeout,
        {.wall = [this] { return Timestamp{seconds_ * 1'000'000}; },
         .steady =
             [this] { return rpc::Member::Clock::time_point() + std::chrono::seconds(seconds_); },
         // A job that waits gets its slots when they are free, not when the reason is due.
         .tell_every = std::chrono::hours(1)});
    ASSERT_THAT(pool, IsOk());
    pool_ = *std::move(pool);
  }

  v1::RegisterMemberRequest RequestToRegister(const std::string& host, int num_slots = 1) {
    v1::RegisterMemberRequest request;
    request.mutable_command()->set_request_id(fmt::format("register {}", ++last_request_));
    request.set_kind(v1::MEMBER_KIND_TRAINER_SERVER);
    request.set_host(host);
    request.set_endpoint("unix:/" + host);
    v1::SlotOffer& slot = *request.mutable_offer()->add_slots();
    slot.set_device("cpu");
    slot.set_count(num_slots);
    return request;
  }

  v1::MemberIncarnation Register(const std::string& host, int num_slots = 1,
                                 const v1::MemberIncarnation& continues = {}) {
    v1::RegisterMemberRequest request = RequestToRegister(host, num_slots);
    *request.mutable_continues() = continues;
    const auto registered = pool_->Register(request);
    EXPECT_THAT(registered, IsOk());
    return registered.ok() ? registered->member() : v1::MemberIncarnation();
  }

  absl::StatusOr<v1::BeatResponse> Beat(const v1::MemberIncarnation& member,
                                        const std::vector<JobKey>& jobs = {}) {
    v1::BeatRequest request;
    *request.mutable_member() = member;
    for (const JobKey& job : jobs) {
      v1::MemberJob& message = *request.add_jobs();
      message.set_run_id(job.run);
      message.set_stage(job.stage);
      message.set_number(job.number);
    }
    return pool_->Beat(request);
  }

  JobKey JobOf(int i, int64_t number = 1) const {
    return {.run = runs_[static_cast<size_t>(i)].value, .stage = "train", .number = number};
  }

  SlotRequest RequestOf(int i, int64_t number = 1) const {
    SlotRequest request;
    request.job = JobOf(i, number);
    request.pipeline = pipelines_[static_cast<size_t>(i)];
    request.device = "cpu";
    return request;
  }

  absl::StatusOr<Lease> Acquire(int i, int64_t number = 1) {
    return pool_->Acquire(RequestOf(i, number), stop_.get_token(), [](const std::string&) {});
  }

  db::testing::TestDatabase test_database_;
  std::unique_ptr<db::Database> database_;
  std::vector<PipelineId> pipelines_;
  std::vector<RunId> runs_;
  int64_t seconds_ = 1'000;
  int last_request_ = 0;
  std::stop_source stop_;
  std::unique_ptr<Pool> pool_;
};

TEST_F(PoolTest, AJobWaitsUntilAMemberComes) {
  std::promise<std::string> why;
  auto lease = std::async(std::launch::async, [&] {
    bool told = false;
    return pool_->Acquire(RequestOf(0), {}, [&](const std::string& reason) {
      if (!std::exchange(told, true)) why.set_value(reason);
    });
  });
  EXPECT_THAT(why.get_future().get(), HasSubstr("none is registered"));
  Register("a");
  const auto got = lease.get();
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->endpoint, "unix:/a");
  EXPECT_THAT(got->devices, ElementsAre("cpu"));
}

TEST_F(PoolTest, AskingAgainFindsTheSameLeaseEvenAfterARestart) {
  const v1::MemberIncarnation a = Register("a", 2);
  const auto first = Acquire(0);
  ASSERT_THAT(first, IsOk());
  Restart();
  const auto second = Acquire(0);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(first->placement_id, second->placement_id);
  EXPECT_THAT(Beat(a, {JobOf(0)})->ended(), IsEmpty());
}

TEST_F(PoolTest, AMemberThatIsSilentIsLostAndItsJobRunsElsewhere) {
  const v1::MemberIncarnation a = Register("a");
  const auto first = Acquire(0);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->member_name, "a");
  const v1::MemberIncarnation b = Register("b");
  seconds_ += 8;
  ASSERT_THAT(Beat(b), IsOk());
  seconds_ += 8;
  EXPECT_FALSE(first->over.stop_requested());
  ASSERT_THAT(pool_->Tick(), IsOk());
  EXPECT_TRUE(first->over.stop_requested());
  const auto second = Acquire(0);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->member_name, "b");
  EXPECT_GT(second->placement_id, first->placement_id);
  // The first one wakes up, gets an error, and comes back under the same name.
  EXPECT_THAT(Beat(a, {JobOf(0)}), StatusIs(absl::StatusCode::kNotFound, HasSubstr("silent")));
  const v1::MemberIncarnation again = Register("a", 1, a);
  EXPECT_EQ(again.member_id(), a.member_id());
  EXPECT_EQ(again.incarnation(), a.incarnation() + 1);
  EXPECT_THAT(Beat(again, {JobOf(0)})->ended(), SizeIs(1));
}

TEST_F(PoolTest, TellsWhereTheJobsOfARunRanAndForHowLongTheyWaited) {
  Register("a");
  ASSERT_THAT(Acquire(0), IsOk());
  EXPECT_THAT(pool_->Release(JobOf(0), "it has returned"), IsOk());
  ASSERT_THAT(Acquire(0, 2), IsOk());
  const auto places = pool_->ListPlacements(runs_[0]);
  ASSERT_THAT(places, IsOk());
  ASSERT_EQ(places->placements_size(), 2);
  const v1::Placement& first = places->placements(0);
  EXPECT_EQ(first.job().number(), 1);
  EXPECT_EQ(first.member_name(), "a");
  EXPECT_EQ(first.end_reason(), "it has returned");
  EXPECT_TRUE(first.has_given_at() && first.has_ended_at());
  EXPECT_FALSE(places->placements(1).has_ended_at());
  EXPECT_EQ(pool_->ListPlacements(RunId{999'999})->placements_size(), 0);
}

TEST_F(PoolTest, AnEngineSeesTheMembersThatItHasStartedAndWhichAreBusy) {
  v1::RegisterMemberRequest request = RequestToRegister("slurm-17_3");
  request.set_started_as("trainers/3");
  ASSERT_THAT(pool_->Register(request), IsOk());
  EXPECT_FALSE(pool_->StartedMembers("trainers").at(0).busy);
  ASSERT_THAT(Acquire(0), IsOk());
  const std::vector<engine::KnownMember> members = pool_->StartedMembers("trainers");
  ASSERT_EQ(members.size(), 1);
  EXPECT_EQ(members[0].number, 3);
  EXPECT_TRUE(members[0].busy);
  EXPECT_TRUE(pool_->StartedMembers("evaluators").empty());
  EXPECT_EQ(pool_->CountWaiting(v1::MEMBER_KIND_TRAINER_SERVER), 0);
}

TEST_F(PoolTest, AMemberThatStartsAgainHasLostItsLeases) {
  const v1::MemberIncarnation a = Register("a");
  const auto first = Acquire(0);
  ASSERT_THAT(first, IsOk());
  Register("a", 1, a);
  EXPECT_TRUE(first->over.stop_requested());
  const auto second = Acquire(0);
  ASSERT_THAT(second, IsOk());
  EXPECT_GT(second->placement_id, first->placement_id);
}

TEST_F(PoolTest, AMemberThatComesBackHearsWhichOfItsRunsWereDeleted) {
  v1::RegisterMemberRequest request = RequestToRegister("a");
  for (const int64_t run : {999, 998}) request.add_runs(run);
  for (const RunId run : runs_) request.add_runs(run.value);
  auto registered = pool_->Register(request);
  ASSERT_THAT(registered, IsOk());
  EXPECT_THAT(registered->deleted_runs(), ElementsAre(998, 999));
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    DeleteRun(work, runs_[1]);
    return absl::OkStatus();
  }),
              IsOk());
  request.mutable_command()->set_request_id("again");
  registered = pool_->Register(request);
  ASSERT_THAT(registered, IsOk());
  EXPECT_THAT(registered->deleted_runs(), ElementsAre(runs_[1].value, 998, 999));
}

TEST_F(PoolTest, TwoMembersOfOneHostAreTwoMembers) {
  Register("a");
  Register("a");
  const v1::GetPoolResponse pool = pool_->Get();
  ASSERT_THAT(pool.members(), SizeIs(2));
  EXPECT_EQ(pool.members(0).name(), "a");
  EXPECT_EQ(pool.members(1).name(), "a-2");
}

TEST_F(PoolTest, ARunHasOneJobAtATime) {
  Register("a");
  ASSERT_THAT(Acquire(0, 1), IsOk());
  // The only slot is free for the run's next job.
  ASSERT_THAT(Acquire(0, 2), IsOk());
  EXPECT_THAT(pool_->Get().running(), SizeIs(1));
}

TEST_F(PoolTest, AReleasedSlotIsGivenToTheNext) {
  Register("a");
  ASSERT_THAT(Acquire(0), IsOk());
  auto waits = std::async(std::launch::async, [&] { return Acquire(1); });
  while (pool_->Get().waiting().empty()) std::this_thread::yield();
  EXPECT_THAT(pool_->Get().waiting(0).waits_for(), HasSubstr("all are taken"));
  ASSERT_THAT(pool_->Release(JobOf(0), "done"), IsOk());
  EXPECT_THAT(waits.get(), IsOk());
}

TEST_F(PoolTest, ADrainedMemberFinishesWhatItHasAndGetsNoMore) {
  const v1::MemberIncarnation a = Register("a", 2);
  const auto lease = Acquire(0);
  ASSERT_THAT(lease, IsOk());
  ASSERT_THAT(pool_->Drain("a", true), IsOk());
  Restart();
  EXPECT_EQ(pool_->Get().members(0).state(), v1::MEMBER_STATE_DRAINING);
  EXPECT_THAT(Beat(a, {JobOf(0)})->ended(), IsEmpty());
  auto waits = std::async(std::launch::async, [&] { return Acquire(1); });
  while (pool_->Get().waiting().empty()) std::this_thread::yield();
  EXPECT_EQ(pool_->Get().running_size(), 1);
  ASSERT_THAT(pool_->Drain("a", false), IsOk());
  EXPECT_THAT(waits.get(), IsOk());
  EXPECT_THAT(pool_->Drain("nowhere", true),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
}

TEST_F(PoolTest, AMemberThatLeavesIsLostAtOnce) {
  const v1::MemberIncarnation a = Register("a");
  const auto lease = Acquire(0);
  ASSERT_THAT(lease, IsOk());
  v1::BeatRequest leaving;
  *leaving.mutable_member() = a;
  leaving.set_leaving(true);
  ASSERT_THAT(pool_->Beat(leaving), IsOk());
  ASSERT_THAT(pool_->Tick(), IsOk());
  EXPECT_TRUE(lease->over.stop_requested());
  EXPECT_EQ(pool_->Get().members(0).lost_because(), "was stopped");
}

TEST_F(PoolTest, AStopEndsTheWaitAndKeepsThePlaceInTheQueue) {
  auto waits = std::async(std::launch::async, [&] { return Acquire(0); });
  while (pool_->Get().waiting().empty()) std::this_thread::yield();
  stop_.request_stop();
  EXPECT_THAT(waits.get(), StatusIs(absl::StatusCode::kCancelled, HasSubstr("does not wait")));
  const int64_t placement = pool_->Get().waiting(0).placement_id();
  Restart();
  Register("a");
  EXPECT_THAT(pool_->Get().running(), IsEmpty());
  stop_ = std::stop_source();
  const auto lease = Acquire(0);
  ASSERT_THAT(lease, IsOk());
  EXPECT_EQ(lease->placement_id, placement);
}

TEST_F(PoolTest, WhatAPipelineHasUsedSurvivesARestart) {
  Register("a");
  ASSERT_THAT(Acquire(0), IsOk());
  seconds_ += 5;
  ASSERT_THAT(Acquire(0, 2), IsOk());
  Restart();
  auto heavy = std::async(std::launch::async, [&] { return Acquire(0, 3); });
  EXPECT_THAT(heavy.get(), IsOk());
  // Pipeline 1 has used more than nothing, so a new one that asks at the same time is served before
  // its next job.
  auto second = std::async(std::launch::async, [&] { return Acquire(1); });
  while (pool_->Get().waiting().empty()) std::this_thread::yield();
  ASSERT_THAT(pool_->Release(JobOf(0, 3), "done"), IsOk());
  EXPECT_THAT(second.get(), IsOk());
}

TEST_F(PoolTest, AMemberWithoutSlotsIsRefused) {
  v1::RegisterMemberRequest request;
  request.set_kind(v1::MEMBER_KIND_TRAINER_SERVER);
  request.set_host("a");
  request.set_endpoint("unix:/a");
  EXPECT_THAT(pool_->Register(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("slots")));
}

}  // namespace
}  // namespace tidemill::supervisor
