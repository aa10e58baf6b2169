#include "supervisor/supervisor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "supervisor/migrations.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kTestdata;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

// A sound pipeline that fires after every tenth sample.
v1::SubmitPipelineRequest Request(const std::string& request_id) {
  std::ifstream stream(kTestdata / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string pipeline = text.str();
  const std::string amount = "samples: 50";
  pipeline.replace(pipeline.find(amount), amount.size(), "samples: 10");
  v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(request_id);
  request.set_pipeline(pipeline);
  request.set_file_name("sound.yaml");
  request.set_base_folder(kTestdata.string());
  return request;
}

// Watches until the stream of the run ends, and returns the kinds of its events.
std::vector<std::string> WatchToTheEnd(RunFeed& feed) {
  Mutex mutex;
  CondVar changed;
  bool woken = true;
  const int64_t subscription = feed.Subscribe([&] {
    MutexLock lock(mutex);
    woken = true;
    changed.notify_all();
  });
  std::vector<std::string> types;
  RunFeed::Cursor cursor;
  while (!cursor.finished) {
    if (const auto next = feed.Next(cursor)) {
      if (next->has_event()) types.push_back(next->event().type());
      continue;
    }
    MutexLock lock(mutex);
    changed.wait(mutex, [&] { return woken; });
    woken = false;
  }
  feed.Unsubscribe(subscription);
  return types;
}

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

class SupervisorTest : public testing::SupervisorFixture {
 protected:
  std::vector<std::string> Finish(RunId run) {
    const auto feed = supervisor_->conducted_runs().Watch(run);
    EXPECT_THAT(feed, IsOk());
    return feed.ok() ? WatchToTheEnd(**feed) : std::vector<std::string>();
  }
};

// The first submission may come while a supervisor that has just started looks for runs.
TEST_F(SupervisorTest, LeavesARunToItsConductorAndWatchersWhenItRecovers) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto watched = supervisor_->conducted_runs().Watch(run);
  ASSERT_THAT(watched, IsOk());
  ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
  EXPECT_EQ(*supervisor_->conducted_runs().Watch(run), *watched);
  services_.Release();
}

TEST_F(SupervisorTest, ConductsAReplayToItsEnd) {
  const RunId run = Submit(Request("a"));
  const std::vector<std::string> types = Finish(run);
  EXPECT_THAT(std::vector(types.begin(), types.begin() + 7),
              ElementsAre("run_started", "dataset_synced", "trigger_fired", "training_set_sealed",
                          "graph_fitted", "model_trained", "model_stored"));
  EXPECT_EQ(types.back(), "run_succeeded");
  const v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.run().state(), v1::RUN_STATE_SUCCEEDED);
  EXPECT_EQ(shown.run().num_triggers(), 3);
  EXPECT_EQ(shown.run().num_samples(), 30);
  ASSERT_EQ(shown.triggers_size(), 3);
  EXPECT_EQ(shown.triggers(2).at().event_time(), 29'000'000);
  EXPECT_EQ(shown.triggers(2).at().sample_key(), 31);
  EXPECT_EQ(shown.triggers(2).training_set_digest(), "set-3");
  EXPECT_EQ(shown.triggers(2).weights_digest(), "weights-3");
}

TEST_F(SupervisorTest, TellsWhyAndHowItTrained) {
  const v1::SubmitPipelineRequest request = Request("a");
  const RunId run = Submit(request);
  const std::vector<std::string> types = Finish(run);
  const v1::GetRunResponse shown = Get(run);
  ASSERT_EQ(shown.decisions_size(), 3);
  EXPECT_EQ(shown.decisions(1).number(), 2);
  EXPECT_TRUE(shown.decisions(1).fired());
  EXPECT_EQ(shown.decisions(1).trigger(), 2);
  EXPECT_EQ(shown.decisions(1).num_samples(), 10);
  EXPECT_EQ(shown.decisions(1).at().event_time(), shown.triggers(1).at().event_time());
  EXPECT_EQ(shown.decisions(1).observed().at("samples"), 10);
  EXPECT_GT(shown.decisions(1).decided_at().seconds(), 0);
  const v1::Trigger& trigger = shown.triggers(1);
  EXPECT_EQ(trigger.num_candidates(), trigger.num_samples() + 1);
  EXPECT_EQ(trigger.device(), "cpu");
  EXPECT_EQ(trigger.loss(), 0.25);
  ASSERT_EQ(trigger.loss_curve_size(), 2);
  EXPECT_EQ(trigger.loss_curve(1).num_samples(), 20);
  EXPECT_GT(trigger.fired_at().seconds(), 0);
  EXPECT_GE(trigger.stored_at().seconds(), trigger.fired_at().seconds());
  EXPECT_EQ(shown.pipeline_text(), request.pipeline());
  EXPECT_THAT(shown.pipeline_resolved(), HasSubstr("warm_start: "));
  EXPECT_EQ(shown.events_size(), static_cast<int>(types.size()));
}

TEST_F(SupervisorTest, TrainsEachTriggerOnItsNewDataFromTheModelBefore) {
  Finish(Submit(Request("a")));
  const auto selections = services_.selections();
  ASSERT_THAT(selections, SizeIs(3));
  EXPECT_FALSE(selections[0].has_from());
  for (size_t i = 1; i < selections.size(); ++i) {
    EXPECT_EQ(selections[i].from().ShortDebugString(), selections[i - 1].to().ShortDebugString());
    EXPECT_EQ(selections[i].seed(), 7);
    ASSERT_THAT(selections[i].ends(), SizeIs(i));
    for (size_t before = 0; before < i; ++before) {
      EXPECT_EQ(selections[i].ends(static_cast<int>(before)).ShortDebugString(),
                selections[before].to().ShortDebugString());
    }
    // Of the trigger before.
    EXPECT_EQ(selections[i].model_id() % 100, static_cast<int64_t>(i));
    EXPECT_FALSE(selections[i].dataset_spec().empty());
  }
  EXPECT_EQ(selections[0].model_id(), 0);
  const auto trainings = services_.trainings();
  ASSERT_THAT(trainings, SizeIs(3));
  EXPECT_EQ(trainings[0].parent_model_id(), 0);
  EXPECT_EQ(trainings[2].parent_model_id() % 100, 2);
  EXPECT_EQ(trainings[2].fitted_trigger(), 1);
  EXPECT_EQ(services_.Calls("FitGraph"), 1);
}

TEST_F(SupervisorTest, MeasuresEveryWindowAndFollowsTheActiveModel) {
  const RunId run = Submit(Request("a"));
  Finish(run);
  const auto evaluations = services_.evaluations();
  ASSERT_THAT(evaluations, SizeIs(1));
  EXPECT_EQ(evaluations[0].windows_size(), 4);
  EXPECT_EQ(evaluations[0].model_ids_size(), 3);
  const v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.evaluations_size(), 12);
  std::vector<double> active, trained;
  for (const auto& value : shown.active()) active.push_back(value.value());
  for (const auto& value : shown.trained()) trained.push_back(value.value());
  EXPECT_THAT(active, ElementsAre(1, 2, 3));
  EXPECT_THAT(trained, ElementsAre(1, 2, 3));
}

TEST_F(SupervisorTest, HasNoWindowAfterATriggerAtTheEndOfTheStream) {
  services_.num_samples = 30;
  const RunId run = Submit(Request("a"));
  Finish(run);
  EXPECT_EQ(Get(run).triggers_size(), 3);
  EXPECT_EQ(services_.evaluations().at(0).windows_size(), 3);
}

// Whether the i-th sample of the fake stream lies in [from, to).
bool Holds(const std::optional<rpc::v1::Cut>& from, const rpc::v1::Cut& to, int64_t i) {
  const auto place = [](const rpc::v1::Cut& cut) {
    return std::pair(cut.event_time(), cut.sample_key());
  };
  const std::pair<int64_t, int64_t> sample(i * 1'000'000, i + 1);
  return (!from || place(*from) <= sample) && sample < place(to);
}

TEST_F(SupervisorTest, EndsARunThatWouldHaveTooManyWindowsBeforeItTrains) {
  auto request = Request("many");
  std::string text = request.pipeline();
  const std::string windows = "{type: between_triggers}";
  text.replace(text.find(windows), windows.size(), "{type: slices, every: 1ms}");
  request.set_pipeline(text);
  const RunId run = Submit(request);
  EXPECT_THAT(Finish(run), ElementsAre("run_started", "run_failed"));
  EXPECT_THAT(Get(run).run().error(), HasSubstr("windows over its samples from 1970-01-01"));
  EXPECT_THAT(services_.selections(), IsEmpty());
}

TEST_F(SupervisorTest, TrainsOnNoSampleWhoseLabelIsStillOpen) {
  for (const char* trigger :
       {"trigger: {type: amount, samples: 10}", "trigger: {type: time, every: 7s}"}) {
    auto request = Request(trigger);
    std::string text = request.pipeline();
    const std::string path = "path: data", amount = "trigger: {type: amount, samples: 10}";
    text.replace(text.find(amount), amount.size(), trigger);
    text.replace(text.find(path), path.size(), "label_delay: 12s\n    " + path);
    request.set_pipeline(text);
    const size_t num_before = services_.selections().size();
    const RunId run = Submit(request);
    EXPECT_EQ(Finish(run).back(), "run_succeeded") << Get(run).run().error();
    const v1::GetRunResponse shown = Get(run);
    auto selections = services_.selections();
    selections.erase(selections.begin(), selections.begin() + static_cast<ptrdiff_t>(num_before));
    ASSERT_GE(shown.triggers_size(), 3);
    ASSERT_THAT(selections, SizeIs(shown.triggers_size()));
    const auto evaluation = services_.evaluations().back();
    ASSERT_TRUE(evaluation.has_known_labels());
    for (const auto& window : evaluation.windows()) {
      EXPECT_EQ(window.has_known_to(), window.trigger_in_use() > 0);
      if (!window.has_known_to()) continue;
      const auto& in_use = shown.triggers(static_cast<int>(window.trigger_in_use()) - 1);
      EXPECT_EQ(window.known_to().event_time(), in_use.at().event_time() - 12'000'000);
      EXPECT_EQ(window.model_in_use(), in_use.model_id());
    }
    for (int64_t i = 0; i < services_.num_samples; ++i) {
      int num_sets = 0;
      for (int n = 0; n < shown.triggers_size(); ++n) {
        const auto& selection = selections[static_cast<size_t>(n)];
        const bool is_trained_on =
            Holds(selection.has_from() ? std::optional(selection.from()) : std::nullopt,
                  selection.to(), i);
        num_sets += is_trained_on ? 1 : 0;
        const int64_t cut = shown.triggers(n).at().event_time();
        if (is_trained_on) {
          EXPECT_LE(i * 1'000'000 + 12'000'000, cut) << trigger;
        }
        for (const auto& window : evaluation.windows()) {
          const bool is_later = window.from().event_time() >= cut;
          EXPECT_FALSE(is_trained_on && is_later && Holds(window.from(), window.to(), i))
              << trigger << ": sample " << i;
        }
      }
      const bool is_known = Holds(std::nullopt, selections.back().to(), i);
      EXPECT_EQ(num_sets, is_known ? 1 : 0) << trigger << ": sample " << i;
    }
    for (const auto& selection : selections) EXPECT_TRUE(Holds(std::nullopt, selection.to(), 0));
  }
}

TEST_F(SupervisorTest, ReplaysAnIntervalAndMeasuresToTheEndOfTheDataset) {
  auto request = Request("a");
  request.set_pipeline(request.pipeline() +
                       "replay: {from: '1970-01-01T00:00:05Z', to: '1970-01-01T00:00:27Z'}\n");
  const RunId run = Submit(request);
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
  const v1::GetRunResponse shown = Get(run);
  ASSERT_EQ(shown.triggers_size(), 2);
  EXPECT_EQ(shown.triggers(0).at().event_time(), 14'000'000);
  EXPECT_EQ(shown.triggers(1).at().event_time(), 24'000'000);
  for (const auto& selection : services_.selections()) {
    EXPECT_EQ(selection.begin().event_time(), 5'000'000);
  }
  const auto evaluations = services_.evaluations();
  ASSERT_THAT(evaluations, SizeIs(1));
  ASSERT_EQ(evaluations[0].windows_size(), 3);
  EXPECT_EQ(evaluations[0].windows(0).from().event_time(), 5'000'000);
  EXPECT_EQ(evaluations[0].windows(2).to().event_time(), 34'000'001);
}

TEST_F(SupervisorTest, FailsWhenNoSampleLiesInTheReplay) {
  auto request = Request("a");
  request.set_pipeline(request.pipeline() + "replay: {from: 2000-01-01}\n");
  const RunId run = Submit(request);
  EXPECT_EQ(Finish(run).back(), "run_failed");
  EXPECT_THAT(Get(run).run().error(), HasSubstr("lies in the pipeline's replay"));
}

TEST_F(SupervisorTest, FiresNoMoreTriggersThanItMay) {
  auto request = Request("a");
  request.set_max_triggers(2);
  const RunId run = Submit(request);
  Finish(run);
  EXPECT_EQ(Get(run).triggers_size(), 2);
}

TEST_F(SupervisorTest, SaysWhyTheLastEvaluationBeforeTheEndDidNotFire) {
  auto request = Request("a");
  const std::string amount = "{type: amount, samples: 10}";
  request.mutable_pipeline()->replace(
      request.pipeline().find(amount), amount.size(),
      "{type: ensemble, vote: all, of: [" + amount + ", {type: amount, samples: 1000}]}");
  const RunId run = Submit(request);
  Finish(run);
  EXPECT_THAT(Get(run).stream_ended().standing(), HasSubstr("; the last evaluation before: "));
}

// With a delay of labels the rest begins before the last trigger.
TEST_F(SupervisorTest, CountsWhatIsLeftOverWhereItMayFireNoMoreTriggers) {
  for (const char* const delay : {"label_delay: 0s", "label_delay: 12s"}) {
    auto request = Request(delay);
    const std::string path = "path: data";
    request.mutable_pipeline()->replace(request.pipeline().find(path), path.size(),
                                        std::string(delay) + "\n    " + path);
    request.set_max_triggers(2);
    const RunId run = Submit(request);
    EXPECT_EQ(Finish(run).back(), "run_succeeded") << Get(run).run().error();
    const v1::GetRunResponse shown = Get(run);
    EXPECT_EQ(shown.run().num_samples(), 20) << delay;
    EXPECT_EQ(shown.stream_ended().num_leftover(), services_.num_samples - 20) << delay;
    EXPECT_EQ(shown.stream_ended().standing(), "no more than 2 triggers were asked for");
  }
}

TEST_F(SupervisorTest, AttachesToAnUnfinishedRunOfTheSamePipeline) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto again = supervisor_->submissions().Submit(Request("b"));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->run_id(), run.value);
  EXPECT_FALSE(again->created());
  auto different = Request("c");
  different.set_pipeline(different.pipeline() + "description: another\n");
  EXPECT_THAT(supervisor_->submissions().Submit(different),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not finished")));
  services_.Release();
  Finish(run);

  const auto repeated = supervisor_->submissions().Submit(Request("a"));
  ASSERT_THAT(repeated, IsOk());
  EXPECT_EQ(repeated->run_id(), run.value);
  const auto later = supervisor_->submissions().Submit(Request("d"));
  ASSERT_THAT(later, IsOk());
  EXPECT_TRUE(later->created());
  EXPECT_NE(later->run_id(), run.value);
  Finish({later->run_id()});
  EXPECT_THAT(supervisor_->runs().List("", "weather"), IsOkAndHolds(SizeIs(2)));
}

TEST_F(SupervisorTest, KeepsNothingOfABrokenPipeline) {
  auto request = Request("a");
  request.set_pipeline(request.pipeline() + "trigers: {}\n");
  EXPECT_THAT(supervisor_->submissions().Submit(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sound.yaml:30:1: error:")));
  EXPECT_THAT(supervisor_->pipelines().List(""), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(services_.Calls("RegisterDataset"), 0);
}

TEST_F(SupervisorTest, FailsWithTheMessageOfTheModelStoreAndGoesOnWhenResumed) {
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

TEST_F(SupervisorTest, WaitsForServicesThatAreAway) {
  for (const char* method :
       {"GetDataset", "SyncDataset", "ListSamples", "SealTrainingSet", "FitGraph", "StartTraining",
        "WatchTraining", "StoreModel", "StartEvaluation", "WatchEvaluation"}) {
    services_.FailNext(method, Unavailable("{} is away", method));
  }
  const RunId run = Submit(Request("a"));
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
  EXPECT_EQ(Get(run).triggers_size(), 3);
}

TEST_F(SupervisorTest, FailsAtOnceWhenACallIsWrong) {
  services_.FailNext("SealTrainingSet", InvalidArgument("no such policy"));
  const RunId run = Submit(Request("a"));
  EXPECT_EQ(Finish(run).back(), "run_failed");
  EXPECT_THAT(Get(run).run().error(), HasSubstr("no such policy"));
}

TEST_F(SupervisorTest, StopsInTheMiddleOfATrainingAndGoesOnWhenResumed) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto feed = supervisor_->conducted_runs().Watch(run);
  ASSERT_THAT(feed, IsOk());
  RunFeed::Cursor cursor;
  const auto in_training = [&] {
    const auto next = (*feed)->Next(cursor);
    return next && next->progress().stage() == "train";
  };
  while (!in_training()) std::this_thread::yield();
  const auto stopped = supervisor_->run_control().Stop(run);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state(), v1::RUN_STATE_STOPPED);
  EXPECT_EQ(services_.Calls("StopTraining"), 1);
  EXPECT_EQ(WatchToTheEnd(**feed).back(), "run_stopped");
  EXPECT_THAT(supervisor_->run_control().Stop(run), IsOk());

  services_.Release();
  EXPECT_EQ(Submit(Request("b")), run);  // Submitting it again resumes it, too.
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
}

TEST_F(SupervisorTest, DeletesAPipelineWithAllThatTheServicesKeep) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  EXPECT_THAT(supervisor_->removals().DeletePipeline("", "weather"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("stop it first")));
  services_.Release();
  Finish(run);
  EXPECT_THAT(supervisor_->removals().DeletePipeline("", "weather"), IsOkAndHolds(true));
  EXPECT_EQ(services_.Calls("DeleteRun"), 1);
  EXPECT_THAT(supervisor_->removals().DeletePipeline("", "weather"), IsOkAndHolds(false));
  v1::GetRunRequest get;
  get.set_run_id(run.value);
  EXPECT_THAT(supervisor_->run_answers().Get(get),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  EXPECT_THAT(supervisor_->removals().DeleteRun(run), IsOkAndHolds(false));
}

TEST_F(SupervisorTest, GoesOnAfterBeingKilledAnywhere) {
  const RunId undisturbed = Submit(Request("undisturbed"));
  Finish(undisturbed);
  std::vector<std::string> expected = Show(Get(undisturbed));
  supervisor_->removals().DeletePipeline("", "weather").IgnoreError();
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
      Supervisor supervisor(**database, services_.Connect(), services_.Connect());
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
