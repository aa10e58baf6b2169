// How jobs begin and end.
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_fixture.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::seconds;
using ::testing::_;
using ::testing::Contains;
using testing::DispatcherTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RequestOf;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

using DispatcherJobsTest = DispatcherTest;

TEST_F(DispatcherJobsTest, EndsJobsOfSilentConsumersAndNoOthers) {
  const int64_t silent = life_.CreateJob({.name = "silent"});
  const int64_t reporting = life_.CreateJob({.name = "reporting"});
  life_.Pass(seconds{40});
  ASSERT_THAT(life_.Report({.job_id = reporting}), IsOk());
  life_.Pass(seconds{40});
  EXPECT_THAT(life_.Report({.job_id = silent}), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(life_->GetJob(silent), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(life_.Report({.job_id = reporting}), IsOk());
  EXPECT_EQ(NumRows("jobs"), 1);
  life_.Restart();
  life_.Pass(seconds{40});
  EXPECT_THAT(life_.Report({.job_id = reporting}), IsOk()) << "fresh grace after a restart";
}

TEST_F(DispatcherJobsTest, CreatingAJobTwiceGivesOneJobOrSaysWhatDiffers) {
  const v1::CreateJobRequest request = RequestOf(testing::JobShape{});
  const auto first = life_->CreateJob(request);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(life_->CreateJob(request), IsOkAndHolds(*first));
  life_.Restart();
  EXPECT_THAT(life_->CreateJob(request), IsOkAndHolds(*first));
  v1::CreateJobRequest other = request;
  other.set_spec("another");
  other.mutable_lanes(0)->set_end_batch(99);
  EXPECT_THAT(life_->CreateJob(other),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("differs in: spec, lanes")));
  other = request;
  other.set_fitted("x");
  other.set_split_batches(1);
  EXPECT_THAT(life_->CreateJob(other), StatusIs(absl::StatusCode::kAlreadyExists,
                                                HasSubstr("differs in: fitted, split_batches")));
  const auto job = life_->GetJob(*first);
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(job->spec(), request.spec());
  EXPECT_EQ(job->fitted(), request.fitted());
}

TEST_F(DispatcherJobsTest, SaysTheSameOfAJobFromMemoryAndFromItsRow) {
  v1::CreateJobRequest small = RequestOf(testing::JobShape{.name = "small"});
  small.set_fitted(std::string("\0\1", 2));
  small.mutable_samples()->add_key_steps(5);
  v1::CreateJobRequest large = RequestOf(testing::JobShape{.name = "large"});
  large.set_fitted(std::string(200'000, 'x'));
  const std::vector<int64_t> jobs = {*life_->CreateJob(small), *life_->CreateJob(large)};
  std::vector<std::string> before;
  for (const int64_t job : jobs) before.push_back(life_->GetJob(job)->SerializeAsString());
  life_.Restart();
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(life_->GetJob(jobs[i])->SerializeAsString(), before[i]);
  }
}

TEST_F(DispatcherJobsTest, RefusesJobsThatMakeNoSense) {
  const auto refused = [&](const auto& change) {
    v1::CreateJobRequest request = RequestOf(testing::JobShape{});
    change(request);
    return life_->CreateJob(request).status();
  };
  const auto invalid = StatusIs(absl::StatusCode::kInvalidArgument, _);
  EXPECT_THAT(refused([](auto& request) { request.clear_name(); }), invalid);
  EXPECT_THAT(refused([](auto& request) { request.clear_lanes(); }), invalid);
  EXPECT_THAT(refused([](auto& request) { request.mutable_lanes(0)->set_end_batch(0); }), invalid);
  EXPECT_THAT(refused([](auto& request) { request.mutable_lanes(0)->set_first_batch(101); }),
              invalid);
  EXPECT_THAT(refused([](auto& request) { request.mutable_lanes(0)->set_shard(-1); }), invalid);
  EXPECT_THAT(refused([](auto& request) { request.set_split_batches(0); }), invalid);
}

TEST_F(DispatcherJobsTest, RefusesNumbersThatNoJobHas) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  v1::CreateJobRequest request = RequestOf(testing::JobShape{});
  request.set_split_batches(kHuge);
  EXPECT_THAT(life_->CreateJob(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("split_batches is 92233720")));
  request = RequestOf(testing::JobShape{});
  request.mutable_lanes(0)->set_end_batch(kHuge);
  EXPECT_THAT(life_->CreateJob(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                                  HasSubstr("lane 0 has end_batch 92233720")));
  request = RequestOf(testing::JobShape{});
  for (int i = 0; i < 100'000; ++i) request.add_lanes();
  EXPECT_THAT(life_->CreateJob(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the most is 65536")));
}

TEST_F(DispatcherJobsTest, AWorkerAsksForSplitsThatItCanMake) {
  const Incarnation worker = life_.Register("a");
  for (const int32_t max_splits : {-1, 4097, std::numeric_limits<int32_t>::max()}) {
    absl::Status status;
    life_->Lease(testing::LeaseRequest(worker, max_splits, "request"),
                 [&](const auto& response) { status = response.status(); });
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("max_splits is " + std::to_string(max_splits))));
  }
}

TEST_F(DispatcherJobsTest, RefusesReportsOfBatchesThatALaneDoesNotHave) {
  const int64_t job = life_.CreateJob({});
  const auto invalid = StatusIs(absl::StatusCode::kInvalidArgument, _);
  EXPECT_THAT(life_.Report({.job_id = job, .lanes = {{.lane = 1}}}), invalid);
  EXPECT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = 101}}}), invalid);
  EXPECT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = -1}}}), invalid);
  EXPECT_THAT(life_.Report({.job_id = 99}), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(DispatcherJobsTest, AFinishedJobIsForgottenAndItsNameIsFree) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 1), SizeIs(1));
  EXPECT_THAT(life_->FinishJob({}, job), IsOk());
  EXPECT_THAT(life_->FinishJob({}, job), IsOk());
  EXPECT_EQ(NumRows("splits") + NumRows("lanes") + NumRows("jobs"), 0);
  v1::LeaseSplitsRequest heartbeat = testing::LeaseRequest(worker, 0, "");
  heartbeat.add_job_ids(job);
  life_->Lease(heartbeat, [&](const auto& response) {
    EXPECT_THAT(response->finished_job_ids(), ElementsAre(job));
  });
  EXPECT_NE(life_.CreateJob({.lanes = {{.end_batch = 7}}}), job);
}

TEST_F(DispatcherJobsTest, RefusesCommandsOfAnEarlierEpoch) {
  v1::CreateJobRequest request = RequestOf(testing::JobShape{});
  request.mutable_command()->set_run_id(1);
  request.mutable_command()->set_run_epoch(2);
  const auto job = life_->CreateJob(request);
  ASSERT_THAT(job, IsOk());
  request.mutable_command()->set_run_epoch(1);
  EXPECT_THAT(life_->CreateJob(request), StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(life_->FinishJob(request.command(), *job),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
  v1::ReportProgressRequest report = RequestOf(testing::Report{.job_id = *job});
  report.mutable_command()->set_run_epoch(2);
  EXPECT_THAT(life_->ReportProgress(report), IsOk());
  report.mutable_command()->set_run_epoch(1);
  EXPECT_THAT(life_->ReportProgress(report), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(DispatcherJobsTest, AWorkerThatMakesBatchesForOneLaneMakesThemForTheOthers) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 16}, {.end_batch = 16}}});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  const testing::Report report = {
      .job_id = job, .lanes = {{.lane = 0}, {.lane = 1}}, .connected = {a, b}};
  ASSERT_THAT(life_.Report(report), IsOk());
  EXPECT_THAT(Lease(a, 1), ElementsAre("0:[0,4)x1"));
  EXPECT_THAT(Lease(b, 1), ElementsAre("0:[4,8)x1"));
  EXPECT_THAT(Lease(a, 1), ElementsAre("1:[0,4)x1"));
  EXPECT_THAT(Lease(b, 1), ElementsAre("1:[4,8)x1"));
  EXPECT_THAT(Lease(a, 2), ElementsAre("0:[8,12)x1", "1:[8,12)x1"));
  EXPECT_THAT(Lease(a, 1), ElementsAre("0:[12,16)x1"));
  // Where there is nothing else, batches are made a second time.
  EXPECT_THAT(Lease(b, 1), ElementsAre("1:[12,16)x1"));
}

TEST_F(DispatcherJobsTest, ALaneDoesNotWaitForAWorkerThatTakesNothing) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 20}, {.end_batch = 20}}});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  const testing::Report report = {
      .job_id = job, .lanes = {{.lane = 0}, {.lane = 1}}, .connected = {a, b}};
  ASSERT_THAT(life_.Report(report), IsOk());
  EXPECT_THAT(Lease(a, 1), ElementsAre("0:[0,4)x1"));
  EXPECT_THAT(Lease(b, 4), ElementsAre("0:[4,8)x1", "0:[8,12)x1", "1:[0,4)x1", "1:[4,8)x1"));
}

TEST_F(DispatcherJobsTest, SplitsAreOnAGridWhereverALaneBegins) {
  v1::CreateJobRequest request = RequestOf(testing::JobShape{});
  request.mutable_lanes(0)->set_first_batch(6);
  const auto job = life_->CreateJob(request);
  ASSERT_THAT(job, IsOk());
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = *job, .lanes = {{.done_before = 6}}, .connected = {worker}}),
              IsOk());
  EXPECT_THAT(Lease(worker, 2), ElementsAre("0:[6,8)x1", "0:[8,12)x1"));
}

TEST_F(DispatcherJobsTest, WhatTheConsumerMakesItselfIsNotIssued) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  const auto lease = [&](int64_t done_before) {
    EXPECT_THAT(life_.Report({.job_id = job,
                              .lanes = {{.done_before = done_before, .own = {20, 24}}},
                              .connected = {worker}}),
                IsOk());
    return Lease(worker, 9);
  };
  EXPECT_THAT(lease(0), SizeIs(4));
  EXPECT_THAT(lease(8), ElementsAre("0:[16,20)x1"));
  life_.Restart();
  EXPECT_THAT(lease(13), ElementsAre("0:[28,32)x1"));
}

TEST_F(DispatcherJobsTest, WhatAnotherConsumerMadeItselfIsIssued) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  for (const int64_t done_before : {0, 12}) {
    ASSERT_THAT(life_.Report({.job_id = job,
                              .lanes = {{.done_before = done_before, .own = {20}}},
                              .connected = {worker}}),
                IsOk());
    EXPECT_THAT(Lease(worker, 9), Not(Contains(HasSubstr("[20,"))));
  }
  ASSERT_THAT(life_.Report({.job_id = job,
                            .consumer = "another",
                            .lanes = {{.done_before = 12}},
                            .connected = {worker}}),
              IsOk());
  EXPECT_THAT(Lease(worker, 9),
              ElementsAre("0:[12,16)x2", "0:[16,20)x2", "0:[20,24)x1", "0:[24,28)x2"));
}

TEST_F(DispatcherJobsTest, RefusesAConsumerThatMakesTooManySplits) {
  const int64_t job = life_.CreateJob({});
  EXPECT_THAT(life_.Report({.job_id = job, .lanes = {{.own = std::vector<int64_t>(5000, 20)}}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4096")));
}

}  // namespace
}  // namespace tidemill::preprocess
