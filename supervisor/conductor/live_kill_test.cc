// Live runs whose supervisor is killed.
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "supervisor/migrations.h"
#include "supervisor/requests/supervisor.h"
#include "supervisor/testing/fake_downstream.h"
#include "supervisor/testing/live_pipeline.h"
#include "supervisor/testing/open_pool.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::_;
using ::testing::Each;
using ::testing::Pair;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

// A run of four triggers, with samples that come late for the second and third.
using Batches = std::vector<std::vector<int64_t>>;
const Batches kBatches = {testing::Seconds(0, 16),
                          {2, 4},
                          testing::Seconds(16, 27),
                          {11, 1, 19},
                          testing::Seconds(27, 50)};

// Runs and is killed at a failpoint, at the latest while it stops.
void RunAndDie(const std::string& connection_string, const std::string& failpoint,
               const v1::SubmitPipelineRequest& submission, const Batches& batches) {
  const pid_t child = fork();
  if (child == 0) {
    failpoints::Arm("supervisor." + failpoint).IgnoreError();
    auto database = db::Database::Connect(connection_string);
    testing::FakeServices services;
    services.Arrive({});
    const auto pool = testing::OpenPool(**database);
    Supervisor supervisor(**database, services.Connect(), services.Connect(), *pool);
    const auto run = supervisor.submissions().Submit(submission);
    for (const auto& batch : batches) {
      services.Arrive(batch);
      const int before = services.Calls("SyncDataset");
      while (services.Calls("SyncDataset") < before + 3) std::this_thread::yield();
    }
    while (services.Calls("StoreModel") < 4) std::this_thread::yield();
    supervisor.run_control().Stop({run->run_id()}).IgnoreError();
    while (true) std::this_thread::yield();
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << failpoint << " was not passed";
}

// Goes on with the only run there is, until it has four models and is stopped.
v1::GetRunResponse FinishTheRun(Supervisor& supervisor, bool is_to_stop) {
  v1::GetRunRequest get;
  get.set_with_events(true);
  get.set_run_id(supervisor.runs().List("", "weather")->front().run_id());
  const auto shown = [&] { return *supervisor.run_answers().Get(get); };
  const auto running = [&] { return shown().run().state() == v1::RUN_STATE_RUNNING; };
  while (!is_to_stop && running() &&
         (shown().triggers_size() < 4 || shown().triggers(3).model_id() == 0)) {
    std::this_thread::yield();
  }
  if (!is_to_stop) supervisor.run_control().Stop({get.run_id()}).status().IgnoreError();
  while (running()) std::this_thread::yield();
  return shown();
}

// How often the triggers of a run have decided on each key, by its events alone: in order after the
// trigger before, or late. `last` becomes the last trigger.
std::map<int64_t, int> TimesDecided(testing::FakeServices& services, const v1::GetRunResponse& run,
                                    v1::TriggerFired& last) {
  std::map<int64_t, int> times;
  for (const v1::RecordedEvent& event : run.events()) {
    if (!event.event().has_trigger_fired()) continue;
    const v1::TriggerFired& fired = event.event().trigger_fired();
    selector::v1::SealTrainingSetRequest sealing;
    *sealing.mutable_snapshot() = fired.snapshot();
    *sealing.mutable_to() = fired.at();
    sealing.set_accept_late(true);
    if (last.trigger() > 0) {
      *sealing.mutable_from() = last.at();
      sealing.set_late_after_key(last.snapshot().committed_key());
    }
    for (const auto& [second, key] : testing::SamplesOf(services, sealing).trained) ++times[key];
    last = fired;
  }
  return times;
}

TEST(LiveRun, DecidesOnEachSampleOnceWhereverItIsKilled) {
  const db::testing::TestDatabase test_database;
  auto connected = db::Database::Connect(test_database.connection_string());
  ASSERT_THAT(connected, IsOk());
  const std::unique_ptr<db::Database> database = *std::move(connected);
  ASSERT_THAT(db::Migrate(*database, "supervisor", Migrations()), IsOk());
  int request = 0;
  for (const std::string failpoint :
       {"after_decision=kill:2", "before_select=kill:2", "after_select=kill:3", "after_fit=kill:1",
        "mid_train=kill:3", "after_train=kill:2", "after_store=kill:2", "before_evaluate=kill:2",
        "after_evaluate=kill:3", "after_retire=kill:1", "before_evaluate=kill:5"}) {
    RunAndDie(
        test_database.connection_string(), failpoint,
        testing::LiveRequest(testing::kTestdata.string(), "killed " + std::to_string(++request),
                             testing::kLive, "retention: {models: 2}\n"),
        kBatches);
    // Everything has arrived when the run is taken over.
    testing::FakeServices services;
    for (const auto& batch : kBatches) services.Arrive(batch);
    const auto pool = testing::OpenPool(*database);
    Supervisor supervisor(*database, services.Connect(), services.Connect(), *pool);
    ASSERT_THAT(supervisor.conducted_runs().Recover(), IsOk());
    const v1::GetRunResponse run = FinishTheRun(supervisor, failpoint == "before_evaluate=kill:5");
    ASSERT_EQ(run.run().state(), v1::RUN_STATE_STOPPED) << failpoint << run.run().error();

    v1::TriggerFired last;
    const auto times_decided = TimesDecided(services, run, last);
    EXPECT_THAT(times_decided, Each(Pair(_, 1))) << failpoint;
    storage::v1::ListSamplesRequest before_the_last_cut;
    *before_the_last_cut.mutable_snapshot() = last.snapshot();
    *before_the_last_cut.mutable_to() = last.at();
    EXPECT_THAT(times_decided, SizeIs(services.Samples(before_the_last_cut).size())) << failpoint;
    ASSERT_THAT(testing::DeletePipeline(supervisor), IsOk());
  }
}

// A row a day ahead neither moves the clock before the kill nor after it.
TEST(LiveRun, CutsTheSamePeriodsWhereverItIsKilledAlthoughARowIsAhead) {
  const Batches batches = {
      testing::Seconds(0, 16), {86'400}, testing::Seconds(16, 27), testing::Seconds(27, 50)};
  const db::testing::TestDatabase test_database;
  auto connected = db::Database::Connect(test_database.connection_string());
  ASSERT_THAT(connected, IsOk());
  const std::unique_ptr<db::Database> database = *std::move(connected);
  ASSERT_THAT(db::Migrate(*database, "supervisor", Migrations()), IsOk());
  for (const std::string failpoint :
       {"after_decision=kill:1", "after_decision=kill:2", "after_train=kill:2"}) {
    v1::SubmitPipelineRequest request =
        testing::LiveRequest(testing::kTestdata.string(), failpoint, testing::kLive, "");
    std::string text = request.pipeline();
    const std::string amount = "{type: amount, samples: 10}";
    text.replace(text.find(amount), amount.size(), "{type: time, every: 10s}");
    request.set_pipeline(text);
    RunAndDie(test_database.connection_string(), failpoint, request, batches);
    testing::FakeServices services;
    for (const auto& batch : batches) services.Arrive(batch);
    const auto pool = testing::OpenPool(*database);
    Supervisor supervisor(*database, services.Connect(), services.Connect(), *pool);
    ASSERT_THAT(supervisor.conducted_runs().Recover(), IsOk());
    const v1::GetRunResponse run = FinishTheRun(supervisor, /*is_to_stop=*/false);
    ASSERT_EQ(run.triggers_size(), 4) << failpoint;
    for (const v1::Trigger& trigger : run.triggers()) {
      EXPECT_EQ(trigger.at().event_time(), trigger.number() * 10'000'000) << failpoint;
      EXPECT_EQ(trigger.num_samples(), 10) << failpoint;
      EXPECT_EQ(trigger.num_late(), 0) << failpoint;
    }
    EXPECT_EQ(run.samples_ahead().num_samples(), 1) << failpoint;
    ASSERT_THAT(testing::DeletePipeline(supervisor), IsOk());
  }
}

}  // namespace
}  // namespace tidemill::supervisor
