// Replays against services that answer at once.
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "results/rows.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReplayRunTest : public testing::ReplayFixture {};

TEST_F(ReplayRunTest, ConductsAReplayToItsEnd) {
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

TEST_F(ReplayRunTest, NamesTheFilesThatWereThereAndWereNotTaken) {
  rpc::v1::FilesNotTaken& not_taken = *services_.synced.mutable_not_taken();
  not_taken.set_num_files(1);
  not_taken.add_files()->set_path("late.csv");
  const RunId run = Submit(Request("a"));
  Finish(run);
  const v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.run().state(), v1::RUN_STATE_SUCCEEDED);
  ASSERT_FALSE(shown.left_out().empty());
  for (const auto& [name, left_out] : shown.left_out()) {
    ASSERT_EQ(left_out.not_taken().files_size(), 1) << name;
    EXPECT_EQ(left_out.not_taken().files(0).path(), "late.csv");
  }
}

TEST_F(ReplayRunTest, TellsWhyAndHowItTrained) {
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
  EXPECT_EQ(shown.decisions(1).verdict().observed().at("samples"), 10);
  EXPECT_GT(shown.decisions(1).decided_at().seconds(), 0);
  const v1::Trigger& trigger = shown.triggers(1);
  EXPECT_EQ(trigger.num_candidates(), trigger.num_samples() + 1);
  EXPECT_EQ(trigger.result().device(), "cpu");
  EXPECT_EQ(trigger.result().loss(), 0.25);
  ASSERT_EQ(trigger.result().loss_curve_size(), 2);
  EXPECT_EQ(trigger.result().loss_curve(1).num_samples(), 20);
  EXPECT_GT(trigger.fired_at().seconds(), 0);
  EXPECT_GE(trigger.stored_at().seconds(), trigger.fired_at().seconds());
  EXPECT_EQ(shown.pipeline_text(), request.pipeline());
  EXPECT_THAT(shown.pipeline_resolved(), HasSubstr("warm_start: "));
  EXPECT_EQ(shown.events_size(), static_cast<int>(types.size()));
}

TEST_F(ReplayRunTest, TrainsEachTriggerOnItsNewDataFromTheModelBefore) {
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
    // The model of the trigger before.
    EXPECT_EQ(selections[i].model_id() % 100, static_cast<int64_t>(i));
    EXPECT_FALSE(selections[i].dataset_spec().empty());
  }
  EXPECT_EQ(selections[0].model_id(), 0);
  const auto trainings = services_.trainings();
  ASSERT_THAT(trainings, SizeIs(3));
  EXPECT_EQ(trainings[0].parent_model_id(), 0);
  EXPECT_EQ(trainings[2].parent_model_id() % 100, 2);
  EXPECT_EQ(trainings[2].fitted_trigger(), 1);
  EXPECT_EQ(trainings[2].fitted_digest(), "fitted");
  EXPECT_EQ(services_.Calls("FitGraph"), 1);
}

TEST_F(ReplayRunTest, MeasuresEveryWindowAndFollowsTheActiveModel) {
  const RunId run = Submit(Request("a"));
  Finish(run);
  const auto evaluations = services_.evaluations();
  ASSERT_THAT(evaluations, SizeIs(1));
  EXPECT_EQ(evaluations[0].windows_size(), 4);
  EXPECT_EQ(evaluations[0].model_ids_size(), 3);
  EXPECT_EQ(evaluations[0].workers(), "");
  const v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.results_size(), 12);
  std::vector<double> active, trained;
  for (const auto* row : results::Active(shown.results())) active.push_back(row->value());
  for (const auto* row : results::Trained(shown.results())) trained.push_back(row->value());
  EXPECT_THAT(active, ElementsAre(1, 2, 3));
  EXPECT_THAT(trained, ElementsAre(1, 2, 3));
}

TEST_F(ReplayRunTest, NamesTheWorkersToEveryServiceThatPreparesSamples) {
  auto request = Request("a");
  std::string text = request.pipeline();
  const std::string dataset = "preprocess:\n  dataset: weather\n";
  text.insert(text.find(dataset) + dataset.size(), "  workers: {most: 3}\n");
  request.set_pipeline(text);
  Finish(Submit(request));
  const std::string workers = services_.trainings().at(0).workers();
  EXPECT_THAT(workers, HasSubstr("most: 3"));
  EXPECT_EQ(services_.selections().at(1).workers(), workers);
  EXPECT_EQ(services_.evaluations().at(0).workers(), workers);
}

TEST_F(ReplayRunTest, SaysWhatEvaluationsMayKeepAndHowOftenSamplesAreReadAgain) {
  auto request = Request("a");
  Finish(Submit(request));
  EXPECT_THAT(services_.evaluations().at(0).cache(), HasSubstr("auto"));
  EXPECT_EQ(services_.evaluations().at(0).later_uses(), 0);
  request.mutable_command()->set_request_id("b");
  v1::ValueToSet& value = *request.add_values_to_set();
  value.set_key("training.seed");
  value.set_value("7");
  request.mutable_in_sweep()->set_sweep("s");
  request.mutable_in_sweep()->set_setting(1);
  request.mutable_in_sweep()->set_rung(1);
  Finish(Submit(request));
  EXPECT_EQ(services_.evaluations().back().later_uses(), 1) << "other runs of the sweep";
}

TEST_F(ReplayRunTest, HasNoWindowAfterATriggerAtTheEndOfTheStream) {
  services_.num_samples = 30;
  const RunId run = Submit(Request("a"));
  Finish(run);
  EXPECT_EQ(Get(run).triggers_size(), 3);
  EXPECT_EQ(services_.evaluations().at(0).windows_size(), 3);
}

// Whether the i-th sample of the fake stream is in [from, to).
bool Holds(const std::optional<rpc::v1::Cut>& from, const rpc::v1::Cut& to, int64_t i) {
  const auto place = [](const rpc::v1::Cut& cut) {
    return std::pair(cut.event_time(), cut.sample_key());
  };
  const std::pair<int64_t, int64_t> sample(i * 1'000'000, i + 1);
  return (!from || place(*from) <= sample) && sample < place(to);
}

TEST_F(ReplayRunTest, EndsARunThatWouldHaveTooManyWindowsBeforeItTrains) {
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

TEST_F(ReplayRunTest, TrainsOnNoSampleWhoseLabelIsStillOpen) {
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

TEST_F(ReplayRunTest, ReplaysAnIntervalAndMeasuresToTheEndOfTheDataset) {
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

TEST_F(ReplayRunTest, FailsWhenNoSampleIsInTheReplay) {
  auto request = Request("a");
  request.set_pipeline(request.pipeline() + "replay: {from: 2000-01-01}\n");
  const RunId run = Submit(request);
  EXPECT_EQ(Finish(run).back(), "run_failed");
  EXPECT_THAT(Get(run).run().error(), HasSubstr("is in the pipeline's replay"));
}

TEST_F(ReplayRunTest, FiresNoMoreTriggersThanItMay) {
  auto request = Request("a");
  request.set_max_triggers(2);
  const RunId run = Submit(request);
  Finish(run);
  EXPECT_EQ(Get(run).triggers_size(), 2);
}

TEST_F(ReplayRunTest, SaysWhyTheLastEvaluationBeforeTheEndDidNotFire) {
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
TEST_F(ReplayRunTest, CountsWhatIsLeftOverWhereItMayFireNoMoreTriggers) {
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
    EXPECT_EQ(shown.stream_ended().standing(), "the run may fire at most 2 triggers");
  }
}

}  // namespace
}  // namespace tidemill::supervisor
