// Trainings that fail and selections that are empty cost a trigger, not the run.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "results/rows.h"
#include "supervisor/testing/live_pipeline.h"
#include "supervisor/testing/open_pool.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

// A live pipeline, or the same as a replay: it fires after every tenth of 35 samples.
v1::SubmitPipelineRequest RequestOfRun(const std::string& request_id, bool live = false) {
  auto request = testing::LiveRequest(testing::kTestdata.string(), request_id, testing::kLive, "");
  if (!live) request.mutable_pipeline()->erase(request.pipeline().find("live:"));
  return request;
}

class SkippedTrigger : public testing::SupervisorFixture {
 protected:
  v1::GetRunResponse Finish(RunId run) {
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    return Get(run);
  }
  v1::GetRunResponse Run(const std::string& request_id) {
    return Finish(Submit(RequestOfRun(request_id)));
  }
};

// By trigger, 0 if there is none.
std::vector<int64_t> ModelsOf(const v1::GetRunResponse& run) {
  std::vector<int64_t> models;
  for (const v1::Trigger& trigger : run.triggers()) models.push_back(trigger.model_id() % 100);
  return models;
}

TEST_F(SkippedTrigger, LeavesTheModelInUseAndTheNextOneTrainsFromIt) {
  services_.FailTraining(2, "the loss is not a number");
  const v1::GetRunResponse run = Run("a");
  EXPECT_EQ(run.run().state(), v1::RUN_STATE_SUCCEEDED) << run.run().error();
  EXPECT_THAT(ModelsOf(run), ElementsAre(1, 0, 3));
  EXPECT_EQ(run.triggers(1).skip_reason(), "train: the loss is not a number");
  EXPECT_EQ(run.triggers(2).skip_reason(), "");
  EXPECT_EQ(services_.trainings().back().parent_model_id() % 100, 1);
  EXPECT_EQ(services_.selections().back().model_id() % 100, 1);
  // The first model was in use until the third trigger.
  const results::Rows active = results::Active(run.results());
  ASSERT_EQ(active.size(), 2U);
  EXPECT_EQ(active[0]->trigger(), 1);
  EXPECT_EQ(active[1]->trigger(), 3);
  EXPECT_EQ(active[0]->from().event_time(), 9'000'000);
  EXPECT_EQ(active[0]->to().event_time(), 29'000'000);
}

TEST_F(SkippedTrigger, IsAnEventThatSaysWhyAndWhichModelStays) {
  services_.FailTraining(2, "the loss is not a number");
  const v1::GetRunResponse run = Run("a");
  std::vector<v1::TriggerSkipped> skipped;
  for (const auto& event : run.events()) {
    if (event.event().has_trigger_skipped()) skipped.push_back(event.event().trigger_skipped());
  }
  ASSERT_THAT(skipped, SizeIs(1));
  EXPECT_EQ(skipped[0].trigger(), 2);
  EXPECT_EQ(skipped[0].stage(), "train");
  EXPECT_EQ(skipped[0].active_trigger(), 1);
}

TEST_F(SkippedTrigger, IsOneForWhichNothingIsSelectedOrNothingCanBeFitted) {
  services_.SelectNothing(1);
  services_.FailNext("FitGraph", InvalidArgument("column wind has no value"));
  const v1::GetRunResponse run = Run("a");
  EXPECT_EQ(run.run().state(), v1::RUN_STATE_SUCCEEDED) << run.run().error();
  EXPECT_THAT(ModelsOf(run), ElementsAre(0, 0, 3));
  EXPECT_THAT(run.triggers(0).skip_reason(),
              HasSubstr("select: none of 11 candidates was selected"));
  EXPECT_EQ(run.triggers(1).skip_reason(), "fit: column wind has no value");
  const auto trainings = services_.trainings();
  ASSERT_THAT(trainings, SizeIs(1));
  EXPECT_EQ(trainings[0].fitted_trigger(), 3);
  EXPECT_EQ(trainings[0].parent_model_id(), 0);
}

TEST_F(SkippedTrigger, FailsARunInWhichNoTrainingSucceedsWithTheFirstReason) {
  services_.FailTraining(1, "the loss is not a number");
  services_.FailTraining(2, "the loss is infinite");
  services_.FailTraining(3, "the loss is infinite");
  const v1::GetRunResponse run = Run("a");
  EXPECT_EQ(run.run().state(), v1::RUN_STATE_FAILED);
  EXPECT_EQ(run.run().error(),
            "none of 3 trainings succeeded; trigger 1: train: the loss is not a number");
  EXPECT_THAT(services_.evaluations(), IsEmpty());
}

TEST_F(SkippedTrigger, IsTriedAgainWhenARunWithoutAModelIsResumed) {
  for (const int64_t trigger : {1, 2, 3}) services_.FailTraining(trigger, "no memory");
  const RunId run = Submit(RequestOfRun("a"));
  ASSERT_EQ(Finish(run).run().state(), v1::RUN_STATE_FAILED);
  ASSERT_THAT(supervisor_->run_control().Resume(run), IsOk());
  const v1::GetRunResponse resumed = Finish(run);
  EXPECT_EQ(resumed.run().state(), v1::RUN_STATE_SUCCEEDED) << resumed.run().error();
  EXPECT_THAT(ModelsOf(resumed), ElementsAre(1, 2, 3));
  EXPECT_EQ(resumed.triggers(0).skip_reason(), "");
  EXPECT_EQ(services_.Calls("SealTrainingSet"), 3);
}

// What is wrong with the caller or with a service says nothing of the training.
TEST_F(SkippedTrigger, IsNoneWhereAServiceIsAwayOrTheCommandIsRefused) {
  services_.FailNext("WatchTraining", Unavailable("the trainer is away"));
  EXPECT_THAT(ModelsOf(Run("away")), ElementsAre(1, 2, 3));
  services_.FailNext("FitGraph", FailedPrecondition("the run belongs to epoch 9"));
  const v1::GetRunResponse fenced = Run("fenced");
  EXPECT_EQ(fenced.run().state(), v1::RUN_STATE_FAILED);
  EXPECT_THAT(fenced.run().error(), HasSubstr("epoch 9"));
}

TEST_F(SkippedTrigger, DoesNotEndALiveRun) {
  services_.FailTraining(1, "the loss is not a number");
  services_.Arrive(testing::Seconds(0, 50));
  const RunId run = Submit(RequestOfRun("a", /*live=*/true));
  while (services_.Calls("StoreModel") < 3) std::this_thread::yield();
  ASSERT_THAT(supervisor_->run_control().Stop(run), IsOk());
  const v1::GetRunResponse shown = Finish(run);
  EXPECT_EQ(shown.run().state(), v1::RUN_STATE_STOPPED) << shown.run().error();
  EXPECT_THAT(ModelsOf(shown), ElementsAre(0, 2, 3, 4));
  EXPECT_EQ(services_.trainings().at(1).parent_model_id(), 0);
}

// A policy that looks at what the model says finds none and trains as at the beginning.
TEST_F(SkippedTrigger, LeavesAPolicyThatAsksTheModelWithoutOne) {
  auto request = RequestOfRun("a");
  const std::string amount = "{type: amount, samples: 10}";
  request.mutable_pipeline()->replace(
      request.pipeline().find(amount), amount.size(),
      "{type: performance, evaluate: {samples: 10}, criterion: {type: threshold, at: 0.1}}");
  services_.FailTraining(1, "the loss is not a number");
  const v1::GetRunResponse run = Finish(Submit(request));
  EXPECT_EQ(run.run().state(), v1::RUN_STATE_SUCCEEDED) << run.run().error();
  EXPECT_THAT(ModelsOf(run), ElementsAre(0, 2));
  EXPECT_EQ(run.triggers(1).at().event_time(), 19'000'000);
}

TEST_F(SkippedTrigger, IsTheSameTriggerWhereverTheRunIsKilled) {
  services_.FailTraining(2, "the loss is not a number");
  services_.SelectNothing(3);
  supervisor_.reset();
  int request = 0;
  for (const char* failpoint : {"before_skip=kill:1", "before_skip=kill:2", "before_select=kill:3",
                                "after_select=kill:2", "before_evaluate=kill:1"}) {
    const auto submission = RequestOfRun("killed " + std::to_string(++request));
    services_.FailTraining(2, "the loss is not a number");
    const pid_t child = fork();
    if (child == 0) {
      failpoints::Arm(std::string("supervisor.") + failpoint).IgnoreError();
      auto database = db::Database::Connect(test_database_.connection_string());
      const auto pool = testing::OpenPool(**database);
      Supervisor supervisor(**database, services_.Connect(), services_.Connect(), *pool);
      supervisor.submissions().Submit(submission).status().IgnoreError();
      while (true) std::this_thread::yield();
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << failpoint << " was not passed";
    // What failed before the kill fails again after it, if it is repeated.
    services_.FailTraining(2, "the loss is not a number");
    Restart();
    ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
    const auto runs = supervisor_->runs().List("", "weather");
    ASSERT_THAT(runs, IsOk());
    const v1::GetRunResponse shown = Finish({runs->front().run_id()});
    EXPECT_EQ(shown.run().state(), v1::RUN_STATE_SUCCEEDED) << failpoint << shown.run().error();
    EXPECT_THAT(ModelsOf(shown), ElementsAre(1, 0, 0)) << failpoint;
    EXPECT_EQ(shown.triggers(1).skip_reason(), "train: the loss is not a number");
    EXPECT_THAT(shown.triggers(2).skip_reason(),
                HasSubstr("select: none of 11 candidates was selected"));
    supervisor_.reset();
  }
}

// The samples are not bad, and no later trigger would fare better.
TEST_F(SkippedTrigger, IsNoneWhenTheDataAreGone) {
  services_.FailTraining(2, "250 of 250 samples could not be read");
  services_.unreachable = "its folder /data is not there";
  const v1::GetRunResponse run = Run("a");
  EXPECT_EQ(run.run().state(), v1::RUN_STATE_FAILED);
  EXPECT_THAT(run.run().error(),
              HasSubstr("its folder /data is not there; the run can be resumed"));
  EXPECT_EQ(run.triggers(1).skip_reason(), "");
}

}  // namespace
}  // namespace tidemill::supervisor
