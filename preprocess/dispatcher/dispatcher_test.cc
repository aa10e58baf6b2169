#include "preprocess/dispatcher/dispatcher.h"

#include <limits>
#include <map>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_fixture.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::_;
using testing::DispatcherTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RequestOf;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr char kNotFound[] = "NOT_FOUND";

TEST_F(DispatcherTest, LeasesEveryBatchOnceWhenNobodyDies) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 30}, {.end_batch = 17}}});
  const Incarnation workers[] = {life_.Register("a"), life_.Register("b")};
  std::vector<std::set<int64_t>> leased(2);
  std::vector<int64_t> done_before(2);
  for (int turn = 0; turn < 40; ++turn) {
    ASSERT_THAT(life_.Report({.job_id = job,
                              .lanes = {{.lane = 0, .done_before = done_before[0], .window = 8},
                                        {.lane = 1, .done_before = done_before[1], .window = 8}},
                              .connected = {workers[0], workers[1]}}),
                IsOk());
    const auto response = life_.Lease(workers[turn % 2], 1 + turn % 3);
    ASSERT_THAT(response, IsOk());
    for (const v1::Split& split : response->splits()) {
      EXPECT_EQ(split.attempt(), 1);
      const auto lane = static_cast<size_t>(split.lane());
      for (int64_t batch = split.from_batch(); batch < split.to_batch(); ++batch) {
        EXPECT_TRUE(leased[lane].insert(batch).second) << batch << " is leased twice";
      }
      done_before[lane] = split.to_batch();
    }
  }
  EXPECT_THAT(leased[0], SizeIs(30));
  EXPECT_THAT(leased[1], SizeIs(17));
}

TEST_F(DispatcherTest, AJobWhoseBatchesAreAllDoneHasNoSplitsLeft) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 8}}});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 5), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  EXPECT_EQ(NumRows("splits"), 2);
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = 5}}}), IsOk());
  life_.Pass(milliseconds{100});
  EXPECT_EQ(NumRows("splits"), 1);
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = 8}}}), IsOk());
  life_.Pass(milliseconds{100});
  EXPECT_EQ(NumRows("splits"), 0);
  const v1::ListJobsResponse jobs = life_->ListJobs();
  EXPECT_EQ(jobs.jobs(0).num_batches(), 8);
  EXPECT_EQ(jobs.jobs(0).num_issued(), 8);
  EXPECT_EQ(jobs.jobs(0).num_done(), 8);
  EXPECT_EQ(jobs.jobs(0).num_leased(), 0);
  EXPECT_EQ(jobs.jobs(0).num_consumers(), 1);
}

TEST_F(DispatcherTest, TheWindowBoundsWhatIsIssued) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  const auto lease = [&](int64_t done_before, int64_t window) {
    EXPECT_THAT(life_.Report({.job_id = job,
                              .lanes = {{.done_before = done_before, .window = window}},
                              .connected = {worker}}),
                IsOk());
    return Lease(worker, 100);
  };
  EXPECT_THAT(lease(0, 0), IsEmpty());
  EXPECT_THAT(lease(0, 5), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  EXPECT_THAT(lease(3, 5), IsEmpty());
  EXPECT_THAT(lease(4, 5), ElementsAre("0:[8,12)x1"));
  EXPECT_THAT(lease(12, std::numeric_limits<int64_t>::max()), SizeIs(22));
}

TEST_F(DispatcherTest, ARepeatedRequestGetsTheSameSplitsAlsoFromARestartedDispatcher) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  const std::vector<std::string> splits = Lease(worker, 2, "\"{the}, \\ request\"");
  EXPECT_THAT(splits, SizeIs(2));
  EXPECT_EQ(Lease(worker, 2, "\"{the}, \\ request\""), splits);
  life_.Restart();
  EXPECT_EQ(Lease(worker, 2, "\"{the}, \\ request\""), splits);
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 1, "another"), ElementsAre("0:[8,12)x1"));
}

TEST_F(DispatcherTest, IssuesNothingAfterARestartBeforeTheConsumerSaysWhatIsDone) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 1), ElementsAre("0:[0,4)x1"));
  // Never written: the dispatcher is killed before.
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = 2}}}), IsOk());
  life_.Restart();
  const Incarnation again = life_.Register("a");
  EXPECT_THAT(Lease(again, 1), IsEmpty());
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.done_before = 3}}, .connected = {again}}),
              IsOk());
  EXPECT_THAT(Lease(again, 1), ElementsAre("0:[3,4)x2"));
}

TEST_F(DispatcherTest, ARestartReadsWhatIsInFlightAndNotWhatWasIssued) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 2'000'000}}, .split_batches = 1});
  const Incarnation worker = life_.Register("a");
  constexpr int64_t kWindow = 4'096;  // The most that a worker may ask for.
  int64_t issued = 0;
  while (issued < 1'000'000) {
    ASSERT_THAT(life_.Report({.job_id = job,
                              .lanes = {{.done_before = issued, .window = kWindow}},
                              .connected = {worker}}),
                IsOk());
    const auto response = life_.Lease(worker, kWindow);
    ASSERT_THAT(response, IsOk());
    issued = response->splits(response->splits_size() - 1).to_batch();
  }
  ASSERT_THAT(life_.Report({.job_id = job,
                            .lanes = {{.done_before = issued - 3, .window = kWindow}},
                            .connected = {worker}}),
              IsOk());
  life_.Pass(milliseconds{100});
  life_.Restart();
  // The worker, the job, its lane and three splits.
  EXPECT_THAT(metrics::Process().Text(), HasSubstr("tidemill_preprocess_recovered_rows 6\n"));
  EXPECT_EQ(life_->ListJobs().jobs(0).num_issued(), issued);
  EXPECT_EQ(life_->ListJobs().jobs(0).num_leased(), 3);
}

TEST_F(DispatcherTest, AZombieIncarnationIsNotFound) {
  const Incarnation first = life_.Register("a");
  const Incarnation second = life_.Register("a");
  EXPECT_EQ(first.member_id, second.member_id);
  EXPECT_GT(second.number, first.number);
  EXPECT_THAT(life_.Lease(first, 1), StatusIs(absl::StatusCode::kNotFound, HasSubstr("register")));
  EXPECT_THAT(life_.Lease(first, 0), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(life_.Lease(second, 1), IsOk());
  life_.Restart();
  EXPECT_THAT(life_.Lease(first, 1), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(life_.Lease(second, 1), IsOk());
  EXPECT_THAT(life_.Lease({.member_id = 99, .number = 1}, 1),
              StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(DispatcherTest, ALostWorkerStaysLostThroughARestartUntilItRegisters) {
  const Incarnation worker = life_.Register("a");
  life_.Pass(seconds{4});
  life_.Restart();
  EXPECT_THAT(life_.Lease(worker, 0), StatusIs(absl::StatusCode::kNotFound, HasSubstr("silent")));
  EXPECT_THAT(life_.Lease(life_.Register("a"), 0), IsOk());
}

TEST_F(DispatcherTest, WorkersHaveAFreshGracePeriodAfterARestart) {
  const Incarnation worker = life_.Register("a");
  life_.Pass(seconds{2});
  life_.Restart();
  life_.Pass(seconds{2});
  EXPECT_THAT(life_.Lease(worker, 0), IsOk());
}

TEST_F(DispatcherTest, ARegistrationThatIsRepeatedKeepsItsIncarnation) {
  v1::RegisterWorkerRequest request = testing::RegistrationOf("a");
  request.mutable_command()->set_request_id("once");
  const auto first = life_->RegisterWorker(request);
  EXPECT_THAT(life_->RegisterWorker(request), IsOkAndHolds(*first));
  request.mutable_command()->set_request_id("twice");
  EXPECT_NE(*life_->RegisterWorker(request), *first);
}

TEST_F(DispatcherTest, ADrainingWorkerFinishesWhatItHasAndIsGivenNothingMore) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  const testing::Report report{.job_id = job, .connected = {worker}};
  ASSERT_THAT(life_.Report(report), IsOk());
  EXPECT_THAT(Lease(worker, 1, "first"), SizeIs(1));
  EXPECT_THAT(life_->DrainWorker(worker.member_id), IsOk());
  EXPECT_THAT(life_->DrainWorker(worker.member_id), IsOk());
  EXPECT_THAT(life_->DrainWorker(77), StatusIs(absl::StatusCode::kNotFound, _));
  const auto response = life_.Lease(worker, 1);
  ASSERT_THAT(response, IsOk());
  EXPECT_TRUE(response->draining());
  EXPECT_THAT(response->splits(), IsEmpty());
  EXPECT_THAT(Lease(worker, 1, "first"), SizeIs(1)) << "a repeated request gets its splits";
  EXPECT_THAT(WorkersFor(report), ElementsAre("a"));
  life_.Restart();
  EXPECT_TRUE(life_.Lease(worker, 1)->draining());
  EXPECT_THAT(WorkersFor({.job_id = job, .lanes = {{.done_before = 4}}}), IsEmpty());
  EXPECT_FALSE(life_.Lease(life_.Register("a"), 1)->draining());
}

TEST_F(DispatcherTest, JobsTakeTurns) {
  const int64_t big = life_.CreateJob({.name = "big"});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = big, .lanes = {{.window = 100}}, .connected = {worker}}),
              IsOk());
  EXPECT_THAT(Lease(worker, 5), SizeIs(5));
  const int64_t late = life_.CreateJob({.name = "late"});
  ASSERT_THAT(life_.Report({.job_id = late, .lanes = {{.window = 100}}, .connected = {worker}}),
              IsOk());
  const auto response = life_.Lease(worker, 8);
  ASSERT_THAT(response, IsOk());
  std::map<int64_t, int> by_job;
  for (const v1::Split& split : response->splits()) ++by_job[split.job_id()];
  EXPECT_EQ(by_job[big], 4);
  EXPECT_EQ(by_job[late], 4);
}

TEST_F(DispatcherTest, TheLaneThatIsIssuedTheLeastFarComesFirst) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 100}, {.end_batch = 100}}});
  const Incarnation worker = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.lane = 0}}, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 2), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  ASSERT_THAT(
      life_.Report({.job_id = job, .lanes = {{.lane = 0}, {.lane = 1}}, .connected = {worker}}),
      IsOk());
  EXPECT_THAT(Lease(worker, 4), ElementsAre("1:[0,4)x1", "1:[4,8)x1", "0:[8,12)x1", "1:[8,12)x1"));
}

TEST_F(DispatcherTest, WorkersWithoutAConnectionGetNothing) {
  const int64_t job = life_.CreateJob({});
  const Incarnation connected = life_.Register("connected");
  const Incarnation other = life_.Register("other");
  EXPECT_THAT(Lease(connected, 1), IsEmpty());
  EXPECT_THAT(WorkersFor({.job_id = job, .connected = {connected}}),
              ElementsAre("connected", "other"));
  EXPECT_THAT(Lease(other, 1), IsEmpty());
  EXPECT_THAT(Lease(connected, 1), SizeIs(1));
}

TEST_F(DispatcherTest, ABrokenConnectionLosesTheReportersLanesOnly) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 100}, {.end_batch = 100}}});
  const Incarnation worker = life_.Register("a");
  const auto report = [&](const std::string& consumer, int32_t lane, bool broken) {
    testing::Report said{.job_id = job, .consumer = consumer, .lanes = {{.lane = lane}}};
    (broken ? said.broken : said.connected).push_back(worker);
    EXPECT_THAT(life_.Report(said), IsOk());
  };
  report("left", 0, false);
  report("right", 1, false);
  EXPECT_THAT(Lease(worker, 2), ElementsAre("0:[0,4)x1", "1:[0,4)x1"));
  report("left", 0, true);
  EXPECT_THAT(Lease(worker, 1), ElementsAre("1:[4,8)x1")) << "left is not connected";
  report("left", 0, false);
  EXPECT_THAT(Lease(worker, 2), ElementsAre("0:[0,4)x2", "0:[4,8)x1"));
}

TEST_F(DispatcherTest, AReportThatIsRepeatedBreaksNothingTwice) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  v1::ReportProgressRequest broken =
      RequestOf(testing::Report{.job_id = job, .connected = {worker}, .broken = {worker}});
  broken.mutable_command()->set_request_id("once");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 1), ElementsAre("0:[0,4)x1"));
  ASSERT_THAT(life_->ReportProgress(broken), IsOk());
  EXPECT_THAT(Lease(worker, 1), ElementsAre("0:[0,4)x2"));
  ASSERT_THAT(life_->ReportProgress(broken), IsOk());
  EXPECT_THAT(Lease(worker, 1), ElementsAre("0:[4,8)x1"));
}

TEST_F(DispatcherTest, ALaneBelongsToWhoReportedItLast) {
  const int64_t job = life_.CreateJob({});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  ASSERT_THAT(life_.Report({.job_id = job, .consumer = "first", .connected = {a}}), IsOk());
  ASSERT_THAT(life_.Report({.job_id = job, .consumer = "second", .connected = {b}}), IsOk());
  EXPECT_THAT(Lease(a, 1), IsEmpty());
  EXPECT_THAT(Lease(b, 1), SizeIs(1));
  EXPECT_EQ(life_->ListJobs().jobs(0).num_consumers(), 1);
}

TEST_F(DispatcherTest, WhatWasLeasedForAnotherConsumerIsIssuedAgain) {
  const int64_t job = life_.CreateJob({});
  const Incarnation a = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .consumer = "first", .connected = {a}}), IsOk());
  EXPECT_THAT(Lease(a, 2), ElementsAre("0:[0,4)x1", "0:[4,8)x1"));
  life_.Restart();  // The same consumer after a restart loses nothing.
  ASSERT_THAT(life_.Report({.job_id = job, .consumer = "first", .connected = {a}}), IsOk());
  EXPECT_THAT(Lease(a, 1), ElementsAre("0:[8,12)x1"));
  life_.Restart();
  ASSERT_THAT(
      life_.Report(
          {.job_id = job, .consumer = "second", .lanes = {{.done_before = 4}}, .connected = {a}}),
      IsOk());
  EXPECT_THAT(Lease(a, 3), ElementsAre("0:[4,8)x2", "0:[8,12)x2", "0:[12,16)x1"));
}

TEST_F(DispatcherTest, AShardStaysWithItsWorkerUntilThatIsLost) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 100, .shard = 1},
                                                 {.end_batch = 100, .shard = 2},
                                                 {.end_batch = 100, .shard = 1}}});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  const auto report = [&] {
    EXPECT_THAT(
        life_.Report(
            {.job_id = job, .lanes = {{.lane = 0}, {.lane = 1}, {.lane = 2}}, .connected = {a, b}}),
        IsOk());
  };
  report();
  EXPECT_THAT(Lease(a, 3), ElementsAre("0:[0,4)x1", "2:[0,4)x1", "0:[4,8)x1"))
      << "shard 2 is left to the other worker";
  EXPECT_THAT(Lease(b, 2), ElementsAre("1:[0,4)x1", "1:[4,8)x1"));
  life_.Restart();
  report();
  EXPECT_THAT(Lease(b, 1), ElementsAre("1:[8,12)x1"));
  EXPECT_THAT(Lease(a, 1), ElementsAre("2:[4,8)x1"));
  life_.Pass(seconds{2});
  EXPECT_THAT(life_.Lease(b, 0), IsOk());
  life_.Pass(seconds{2});  // a is lost.
  EXPECT_THAT(Lease(b, 2), ElementsAre("0:[0,4)x2", "2:[0,4)x2"));
}

TEST_F(DispatcherTest, AShardWhoseConsumerNoLongerReadsFromItsWorkerGoesToOneThatItReadsFrom) {
  const int64_t job = life_.CreateJob({.lanes = {{.end_batch = 100, .shard = 1}}});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{}}, .connected = {a, b}}), IsOk());
  EXPECT_THAT(Lease(a, 1), ElementsAre("0:[0,4)x1"));
  EXPECT_THAT(Lease(b, 1), IsEmpty());
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{}}, .connected = {b}, .broken = {a}}),
              IsOk());
  EXPECT_THAT(Lease(b, 2), ElementsAre("0:[0,4)x2", "0:[4,8)x1"));
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{}}, .connected = {a, b}}), IsOk());
  EXPECT_THAT(Lease(a, 1), IsEmpty()) << "it stays with the one that took it over";
  EXPECT_THAT(Lease(b, 1), ElementsAre("0:[8,12)x1"));
}

TEST_F(DispatcherTest, OneWorkerMakesAllShardsWhenThereIsNoOther) {
  const int64_t job =
      life_.CreateJob({.lanes = {{.end_batch = 100, .shard = 1}, {.end_batch = 100, .shard = 2}}});
  const Incarnation a = life_.Register("a");
  ASSERT_THAT(life_.Report({.job_id = job, .lanes = {{.lane = 0}, {.lane = 1}}, .connected = {a}}),
              IsOk());
  EXPECT_THAT(Lease(a, 2), ElementsAre("0:[0,4)x1", "1:[0,4)x1"));
}

TEST_F(DispatcherTest, AWorkerThatIsLostForLongIsForgotten) {
  life_.Register("a");
  life_.Pass(seconds{4});
  life_.Register("b");
  EXPECT_EQ(life_->ListWorkers().workers_size(), 2) << "one sees that a is lost";
  life_.Pass(seconds{3600});
  life_.Register("b");
  EXPECT_EQ(life_->ListWorkers().workers_size(), 1);
  life_.Restart();
  EXPECT_EQ(life_->ListWorkers().workers_size(), 1);
  EXPECT_EQ(life_->ListWorkers().workers(0).name(), "b");
  EXPECT_EQ(life_.Register("a").number, 1) << "who comes back is new";
}

TEST_F(DispatcherTest, ALeaseThatCannotBeWrittenIsTakenBack) {
  const int64_t job = life_.CreateJob({});
  const Incarnation a = life_.Register("a");
  const Incarnation b = life_.Register("b");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {a, b}}), IsOk());
  // The second time it is written all the same, which the dispatcher cannot know.
  for (const char* const point : {"preprocess.before_lease", "preprocess.after_lease"}) {
    ASSERT_THAT(failpoints::Arm(std::string(point) + "=error"), IsOk());
    EXPECT_THAT(life_.Lease(a, 2), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("write")));
    failpoints::DisarmAll();
  }
  EXPECT_THAT(Lease(b, 1), ElementsAre("0:[0,4)x1")) << "nobody has heard of it";
  life_.Restart();
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {a, b}}), IsOk());
  EXPECT_THAT(Lease(a, 2), ElementsAre("0:[4,8)x1", "0:[8,12)x1"));
}

TEST_F(DispatcherTest, AReplacedDispatcherWritesNothingAndLeasesNothing) {
  const int64_t job = life_.CreateJob({});
  const Incarnation worker = life_.Register("a");
  const auto successor = life_.NotRecovered();
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(Lease(worker, 1), SizeIs(1)) << "the other one has not taken over";
  ASSERT_THAT(successor->Recover(), IsOk());
  const auto replaced = StatusIs(absl::StatusCode::kUnavailable, HasSubstr("taken over"));
  EXPECT_THAT(life_.Lease(worker, 1), replaced);
  EXPECT_THAT(life_->CreateJob(RequestOf(testing::JobShape{.name = "another"})), replaced);
  EXPECT_THAT(life_->RegisterWorker(testing::RegistrationOf("b")), replaced);
  EXPECT_THAT(life_->FinishJob({}, job), replaced);
  EXPECT_EQ(successor->ListJobs().jobs(0).num_leased(), 1);
}

TEST_F(DispatcherTest, ADispatcherThatHasNotRecoveredKnowsOfNothing) {
  const int64_t job = life_.CreateJob({});
  const auto starting = life_.NotRecovered();
  const auto unavailable = StatusIs(absl::StatusCode::kUnavailable, HasSubstr("starting"));
  EXPECT_THAT(starting->ReportProgress(RequestOf(testing::Report{.job_id = job})), unavailable);
  EXPECT_THAT(starting->GetJob(job), unavailable);
  EXPECT_THAT(starting->RegisterWorker(testing::RegistrationOf("a")), unavailable);
  starting->Lease(testing::LeaseRequest({}, 1, "request"),
                  [&](const auto& response) { EXPECT_THAT(response, unavailable); });
}

TEST_F(DispatcherTest, AWaitingRequestIsAnsweredWhenWorkComesAndWhenItsTimeIsOver) {
  const Incarnation worker = life_.Register("a");
  std::promise<absl::StatusOr<v1::LeaseSplitsResponse>> first, second;
  v1::LeaseSplitsRequest request = testing::LeaseRequest(worker, 1, "first");
  request.set_wait_millis(1000);
  life_->Lease(request, [&](auto response) { first.set_value(std::move(response)); });
  const int64_t job = life_.CreateJob({});
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_THAT(life_.Splits(first.get_future().get()), ElementsAre("0:[0,4)x1"));
  ASSERT_THAT(life_->FinishJob({}, job), IsOk());
  request.mutable_command()->set_request_id("second");
  life_->Lease(request, [&](auto response) { second.set_value(std::move(response)); });
  life_.Settle();
  life_.Pass(milliseconds{1001});
  EXPECT_THAT(life_.Splits(second.get_future().get()), IsEmpty());
}

TEST_F(DispatcherTest, ADispatcherThatStopsAnswersThoseWhoWait) {
  const Incarnation worker = life_.Register("a");
  std::promise<absl::Status> answer;
  v1::LeaseSplitsRequest request = testing::LeaseRequest(worker, 1, "first");
  request.set_wait_millis(1000);
  life_->Lease(request, [&](const auto& response) { answer.set_value(response.status()); });
  life_->Stop();
  EXPECT_THAT(answer.get_future().get(), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(life_.Lease(worker, 1), StatusIs(absl::StatusCode::kUnavailable, _));
}

}  // namespace
}  // namespace tidemill::preprocess
