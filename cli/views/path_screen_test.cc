#include "cli/views/path_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kSecond = 1'000'000'000;

// A training of trigger 3 that has run for `seconds`: 1,000 samples each, prepared by two
// busy threads, three quarters of whose time goes into one op.
RunLook TrainingFor(int64_t seconds) {
  RunLook look{.run_id = 12, .pipeline = "elec2", .seconds = static_cast<double>(seconds)};
  supervisor::v1::Progress& progress = look.progress;
  progress.set_stage("train");
  progress.set_trigger(3);
  progress.set_done(1000 * seconds);
  progress.set_total(64'000);
  progress.set_unit("samples");
  progress.set_wait_share(0.6);
  rpc::v1::PathWork& path = *progress.mutable_path();
  path.set_batches(10 * seconds);
  path.set_rows(1000 * seconds);
  path.set_busy_nanos(2 * kSecond * seconds);
  path.set_capacity_nanos(2 * kSecond * seconds);
  path.set_cpu_nanos(kSecond * seconds);
  path.set_read_nanos(kSecond / 5 * seconds);
  path.set_queue_nanos(kSecond / 10 * seconds);
  rpc::v1::OpWork& op = *path.add_ops();
  op.set_type("resize");
  op.set_rows(1000 * seconds);
  op.set_bytes(2'500'000 * seconds);
  op.set_wall_nanos(kSecond * 3 / 2 * seconds);
  op.set_cpu_nanos(kSecond * 3 / 4 * seconds);
  op.set_rejected(7 * seconds);
  return look;
}

// The same with a worker, in its first life, and a job.
RunLook PreparedFor(int64_t seconds) {
  RunLook look = TrainingFor(seconds);
  look.progress.mutable_path()->set_link_nanos(kSecond * seconds);
  look.progress.mutable_path()->set_link_busy_nanos(kSecond / 4 * seconds);
  look.preparing.emplace();
  look.preparing->seconds = static_cast<double>(seconds);
  preprocess::v1::Worker& worker = look.preparing->workers.emplace_back();
  worker.mutable_incarnation()->set_worker_id(1);
  worker.mutable_incarnation()->set_incarnation(1);
  worker.set_name("unix:/w");
  worker.set_state(preprocess::v1::WORKER_STATE_ALIVE);
  worker.set_num_threads(2);
  worker.set_num_leased(3);
  worker.set_num_batches(30 * seconds);
  worker.set_num_bytes(4'500'000 * seconds);
  preprocess::v1::Job& job = look.preparing->jobs.emplace_back();
  job.set_name("run-12/trigger-3/abc");
  job.set_num_batches(640);
  job.set_num_done(10 * seconds);
  job.set_num_issued(100 + seconds);
  job.set_wait_share(0.5);
  return look;
}

TEST(PathScreen, ShowsTheStagesOfTheStartThatWereMeasured) {
  RunLook look = TrainingFor(4);
  EXPECT_THAT(DescribeLook(std::nullopt, look), Not(HasSubstr("started")));
  EXPECT_EQ(LookToJson(std::nullopt, look)["start"], nlohmann::ordered_json::object());
  rpc::v1::TrainingStart& start = *look.progress.mutable_start();
  start.set_select_seconds(0.0219);
  start.set_opening_seconds(0.031);
  start.set_asking_seconds(0.0024);
  start.set_first_batch_seconds(0);
  start.set_first_step_seconds(1.5);
  EXPECT_THAT(DescribeLook(std::nullopt, look),
              HasSubstr("started: choosing 21.9 ms, opening 31.0 ms, asking 2.4 ms, first batch "
                        "0.0 ms, first step 1500.0 ms\n"));
  EXPECT_EQ(LookToJson(std::nullopt, look)["start"].dump(),
            R"({"select_seconds":0.0219,"opening_seconds":0.031,"asking_seconds":0.0024,)"
            R"("first_batch_seconds":0.0,"first_step_seconds":1.5})");
}

TEST(PathScreen, ShowsTheRatesBetweenTwoLooksAndTheVerdictSoFar) {
  const std::string text = DescribeLook(TrainingFor(4), TrainingFor(6));
  EXPECT_THAT(text, HasSubstr("run 12 of elec2: trigger 3, train"));
  EXPECT_THAT(text, HasSubstr("6,000 of 64,000 samples"));
  EXPECT_THAT(text,
              HasSubstr("1.0 k samples/s; 60 % of the time waiting for data; limit: op resize "
                        "(75 % of preparing)"));
  EXPECT_THAT(text, HasSubstr("predicted: twice the threads 2.0x; op resize twice as fast 1.6x;"));
  EXPECT_THAT(text, ContainsRegex("resize +1\\.0 k +2\\.5 +75 % +50 % +42\n"));
  EXPECT_THAT(text, ContainsRegex("reading +10 % of preparing"));
  EXPECT_THAT(text, ContainsRegex("queueing for a core +5 % of preparing"));
  EXPECT_THAT(text, ContainsRegex("sending +-"));
  EXPECT_THAT(text, Not(HasSubstr("WORKER"))) << "no dispatcher was reached";
}

TEST(PathScreen, KnowsNoRatesOfAnotherTrainingOrFromOneLook) {
  RunLook other = TrainingFor(4);
  other.progress.set_trigger(2);
  for (const std::optional<RunLook>& before : {std::optional<RunLook>(), std::optional(other)}) {
    const auto json = LookToJson(before, TrainingFor(6));
    EXPECT_TRUE(json.at("per_second").is_null());
    EXPECT_TRUE(json.at("ops").at(0).at("rows_per_second").is_null());
    EXPECT_EQ(json.at("ops").at(0).at("share"), 0.75) << "that of the training so far";
    EXPECT_EQ(json.at("limit"), "op");
    EXPECT_EQ(json.at("gains").at(0).at("change"), "twice the threads");
  }
}

TEST(PathScreen, SharesAreOfTheTimeBetweenTheLooks) {
  RunLook now = TrainingFor(6);
  // Since the look before, all of the busy time was reading.
  rpc::v1::PathWork& path = *now.progress.mutable_path();
  const RunLook before = TrainingFor(4);
  *path.mutable_ops(0) = before.progress.path().ops(0);
  path.set_read_nanos(before.progress.path().read_nanos() + 4 * kSecond);
  const auto json = LookToJson(before, now);
  EXPECT_EQ(json.at("reading_share"), 1.0);
  EXPECT_EQ(json.at("ops").at(0).at("share"), 0.0);
}

TEST(PathScreen, ShowsHowManySamplesAreFoundPreparedWhereSomeAre) {
  const RunLook before = TrainingFor(4);
  RunLook now = TrainingFor(6);
  EXPECT_THAT(DescribeLook(before, now), Not(HasSubstr("found prepared")));
  EXPECT_TRUE(LookToJson(before, now).at("found_share").is_null());
  rpc::v1::PathWork& path = *now.progress.mutable_path();
  const int64_t num_rows = path.rows() - before.progress.path().rows();
  path.set_found(num_rows / 4);
  path.set_find_nanos((path.busy_nanos() - before.progress.path().busy_nanos()) / 10);
  EXPECT_THAT(DescribeLook(before, now),
              ContainsRegex("found prepared +25 % of the samples, in 10 % of preparing"));
  EXPECT_EQ(LookToJson(before, now).at("found_share"), 0.25);
}

TEST(PathScreen, ShowsWorkersAndJobs) {
  const std::string text = DescribeLook(PreparedFor(4), PreparedFor(6));
  EXPECT_THAT(text, ContainsRegex("unix:/w +alive +2 +3 +30\\.0 +4\\.5\n"));
  EXPECT_THAT(text, ContainsRegex("run-12/trigger-3/abc +640 +60 +106 +0 +0 +50 %\n"));
  EXPECT_THAT(text, ContainsRegex("sending +25 % of the time"));
  const auto json = LookToJson(PreparedFor(4), PreparedFor(6));
  EXPECT_EQ(json.at("workers").at(0).at("batches_per_second"), 30.0);
  EXPECT_EQ(json.at("jobs").at(0).at("done"), 60);
}

TEST(PathScreen, SaysWhyAWorkerIsLost) {
  RunLook look = PreparedFor(6);
  look.preparing->workers[0].set_state(preprocess::v1::WORKER_STATE_LOST);
  look.preparing->workers[0].set_lost_because("did not send what it had leased");
  EXPECT_THAT(DescribeLook(PreparedFor(4), look),
              HasSubstr("worker unix:/w is lost: it did not send what it had leased\n"));
  EXPECT_EQ(LookToJson(PreparedFor(4), look).at("workers").at(0).at("lost_because"),
            "did not send what it had leased");
}

TEST(PathScreen, AWorkerThatWasStartedAnewHasNoRatesYet) {
  RunLook before = PreparedFor(4);
  before.preparing->workers[0].mutable_incarnation()->set_incarnation(9);
  const auto json = LookToJson(before, PreparedFor(6));
  EXPECT_TRUE(json.at("workers").at(0).at("batches_per_second").is_null());
}

TEST(PathScreen, OtherStagesHaveNoVerdict) {
  RunLook look = TrainingFor(2);
  look.progress.set_stage("evaluate");
  EXPECT_THAT(DescribeLook(std::nullopt, look),
              AllOf(HasSubstr("evaluate"), Not(HasSubstr("waiting for data"))));
  EXPECT_FALSE(LookToJson(std::nullopt, look).contains("limit"));
  look.progress.Clear();
  EXPECT_THAT(DescribeLook(std::nullopt, look), HasSubstr("it has not reported yet"));
}

TEST(PathScreen, NothingIsJudgedBeforeTheFirstBatches) {
  const RunLook look = TrainingFor(0);
  EXPECT_THAT(DescribeLook(std::nullopt, look), HasSubstr("the first batches are being prepared"));
  EXPECT_TRUE(LookToJson(std::nullopt, look).at("limit").is_null());
}

TEST(PathScreen, ShowsWhereTheTrainingRunsAndWhatTheDevicesDo) {
  RunLook look = TrainingFor(4);
  look.progress.set_device("cuda:1");
  supervisor::v1::ServerSlots& server = *look.devices.add_servers();
  server.set_server("trainer_server");
  server.add_slots()->set_device("cpu");
  const std::string text = DescribeLook(std::nullopt, look);
  EXPECT_THAT(text, HasSubstr("4,000 of 64,000 samples, on cuda:1\n"));
  EXPECT_THAT(text, HasSubstr("the GPU waits 60 % of the time for batches; limit: op resize"));
  EXPECT_THAT(text, HasSubstr("\ntrainer_server: cpu, 0 of 1 in use\n"));
  const auto json = LookToJson(std::nullopt, look);
  EXPECT_EQ(json.at("device"), "cuda:1");
  EXPECT_EQ(json.at("devices").at(0).at("slots").at(0).at("device"), "cpu");
}

TEST(PathScreen, JobsAreThoseOfTheRun) {
  preprocess::v1::Job job;
  job.set_name("run-12/trigger-3/abc");
  EXPECT_TRUE(IsJobOf(job, 12));
  EXPECT_FALSE(IsJobOf(job, 1));
}

}  // namespace
}  // namespace tidemill::cli
