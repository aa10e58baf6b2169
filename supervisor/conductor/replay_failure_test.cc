// Replays whose services fail, and whose supervisor is killed.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/disk_full.h"
#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "supervisor/testing/open_pool.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

using testing::WatchToTheEnd;

void ClearTimes(v1::Trigger& trigger) {
  trigger.clear_stage_seconds();
  trigger.clear_fired_at();
  trigger.clear_stored_at();
}

// The run's triggers less the times at which things happened.
std::vector<std::string> Show(const v1::GetRunResponse& run) {
  std::vector<std::string> shown;
  for (v1::Trigger trigger : run.triggers()) {
    ClearTimes(trigger);
    shown.push_back(trigger.ShortDebugString());
  }
  return shown;
}

class ReplayFailureTest : public testing::ReplayFixture {};

TEST_F(ReplayFailureTest, FailsWithTheMessageOfTheModelStoreAndContinuesWhenResumed) {
  services_.FailNext("StoreModel", DataLoss("the disk is broken"));
  const RunId run = Submit(Request("a"));
  EXPECT_EQ(Finish(run).back(), "run_failed");
  EXPECT_THAT(Get(run).run().error(), HasSubstr("trigger 1: store: the disk is broken"));
  EXPECT_THAT(supervisor_->run_control().Resume(run), IsOk());
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
  EXPECT_EQ(Get(run).triggers_size(), 3);
  EXPECT_EQ(services_.Calls("SealTrainingSet"), 3);
  EXPECT_THAT(supervisor_->run_control().Resume(run),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("succeeded")));
}

TEST_F(ReplayFailureTest, FailsWhereATrainingThatIsDoneTellsNoFiguresAndContinuesWhenResumed) {
  services_.TellNoFigures(2);
  const RunId run = Submit(Request("a"));
  const std::vector<std::string> types = Finish(run);
  EXPECT_EQ(types.back(), "run_failed");
  EXPECT_EQ(std::ranges::count(types, "model_trained"), 1);
  EXPECT_EQ(
      Get(run).run().error(),
      "trigger 2: train: the trainer server gives no figures for trigger 2 because its version is "
      "older than 0.8; upgrade it, then resume the run");
  EXPECT_THAT(supervisor_->run_control().Resume(run), IsOk());
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
  EXPECT_EQ(Get(run).triggers(1).result().loss(), 0.25);
}

TEST_F(ReplayFailureTest, TrainsAgainWhatNoTrainerServerHasAnyMore) {
  services_.FailNext("StoreModel", NotFound("no server has a result of the training"));
  const RunId run = Submit(Request("a"));
  const std::vector<std::string> types = Finish(run);
  EXPECT_EQ(types.back(), "run_succeeded");
  EXPECT_EQ(std::ranges::count(types, "model_trained"), 3) << "it is one training";
  ASSERT_THAT(services_.trainings(), SizeIs(4));
  EXPECT_EQ(services_.trainings()[1].DebugString(), services_.trainings()[0].DebugString());
  EXPECT_EQ(services_.Calls("FitGraph"), 1);
}

TEST_F(ReplayFailureTest, WaitsForServicesThatAreAway) {
  for (const char* method :
       {"GetDataset", "SyncDataset", "ListSamples", "SealTrainingSet", "FitGraph", "StartTraining",
        "WatchTraining", "StoreModel", "StartEvaluation", "WatchEvaluation"}) {
    services_.FailNext(method, Unavailable("{} is away", method));
  }
  const RunId run = Submit(Request("a"));
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
  EXPECT_EQ(Get(run).triggers_size(), 3);
}

TEST_F(ReplayFailureTest, WaitsForRoomOnADiskAndSaysSo) {
  for (const char* method :
       {"SealTrainingSet", "FitGraph", "WatchTraining", "StoreModel", "WatchEvaluation"}) {
    services_.FailNext(method, DiskFull(fmt::format("cannot write the file of {}", method)));
  }
  const RunId run = Submit(Request("a"));
  const std::vector<std::string> types = Finish(run);
  EXPECT_EQ(types.back(), "run_succeeded");
  EXPECT_EQ(std::ranges::count(types, "step_waited"), 5);
  EXPECT_EQ(std::ranges::count(types, "trigger_skipped"), 0);
  std::vector<std::string> texts;
  const v1::GetRunResponse got = Get(run);
  for (const auto& event : got.events()) texts.push_back(event.ShortDebugString());
  EXPECT_THAT(texts, ::testing::Contains(::testing::AllOf(
                         HasSubstr("the disk is full: cannot write the file of StoreModel"),
                         HasSubstr("store"))));
}

TEST_F(ReplayFailureTest, FailsAtOnceWhenACallIsWrong) {
  services_.FailNext("SealTrainingSet", InvalidArgument("no such policy"));
  const RunId run = Submit(Request("a"));
  EXPECT_EQ(Finish(run).back(), "run_failed");
  EXPECT_THAT(Get(run).run().error(), HasSubstr("no such policy"));
}

TEST_F(ReplayFailureTest, ContinuesAfterBeingKilledAnywhere) {
  const RunId undisturbed = Submit(Request("undisturbed"));
  Finish(undisturbed);
  std::vector<std::string> expected = Show(Get(undisturbed));
  testing::DeletePipeline(*supervisor_).IgnoreError();
  supervisor_.reset();
  int request = 0;
  for (const char* failpoint :
       {"after_decision=kill:2", "before_select=kill:3", "after_select=kill:1", "after_fit=kill:1",
        "mid_train=kill:2", "after_train=kill:3", "after_store=kill:1", "before_evaluate=kill:1",
        "after_evaluate=kill:1"}) {
    const auto submission = Request("killed " + std::to_string(++request));
    const pid_t child = fork();
    if (child == 0) {
      failpoints::Arm(std::string("supervisor.") + failpoint).IgnoreError();
      auto database = db::Database::Connect(test_database_.connection_string());
      const auto pool = testing::OpenPool(**database);
      Supervisor supervisor(**database, services_.Connect(), services_.Connect(), *pool);
      const auto run = supervisor.submissions().Submit(submission);
      WatchToTheEnd(**supervisor.conducted_runs().Watch({run->run_id()}));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << failpoint << " was not passed";

    Restart();
    ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
    const auto runs = supervisor_->runs().List("", "weather");
    ASSERT_THAT(runs, IsOkAndHolds(SizeIs(request)));
    const RunId run{runs->front().run_id()};
    Finish(run);
    const v1::GetRunResponse shown = Get(run);
    EXPECT_EQ(shown.run().state(), v1::RUN_STATE_SUCCEEDED) << shown.run().error();
    std::vector<std::string> triggers;
    for (v1::Trigger trigger : shown.triggers()) {
      EXPECT_EQ(trigger.model_id(), 100 * run.value + trigger.number());
      trigger.set_model_id(100 * undisturbed.value + trigger.number());
      ClearTimes(trigger);
      triggers.push_back(trigger.ShortDebugString());
    }
    EXPECT_EQ(triggers, expected) << failpoint;
    supervisor_.reset();
  }
}

}  // namespace
}  // namespace tidemill::supervisor
