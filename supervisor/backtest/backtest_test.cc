#include "supervisor/backtest/backtest.h"

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/plain/cost_trigger.h"
#include "supervisor/triggers/plain/ensemble_trigger.h"
#include "supervisor/triggers/plain/time_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

BacktestResult Try(const TriggerSpec& policy, const testing::Stream& stream, size_t chunk,
                   const selector::SelectionSpec& selection = {}) {
  auto test = Backtest::Create(policy, selection, TrainingForecast{.base = 2, .per_sample = .5});
  EXPECT_THAT(test, IsOk());
  for (Samples rest = stream.View(); !rest.empty();) {
    const size_t size = std::min(chunk, rest.size());
    EXPECT_THAT(test->Take(rest.First(size)), IsOk());
    rest = rest.From(size);
  }
  return std::move(*test).Finish();
}

// Samples at the seconds 0, 1, ..., n - 1.
testing::Stream EachSecond(int64_t n) {
  testing::Stream stream;
  for (int64_t i = 0; i < n; ++i) {
    stream.times.push_back(i * 1'000'000);
    stream.keys.push_back(i + 1);
  }
  return stream;
}

// The selector leaves them out, too, before it chooses.
TEST(Backtest, TrainsOnNoSampleWithoutALabel) {
  const testing::Stream stream = EachSecond(35);
  for (const bool at_once : {true, false}) {
    auto test = Backtest::Create(AmountTrigger{.samples = 10}, selector::SelectionSpec(),
                                 TrainingForecast{.base = 2, .per_sample = .5});
    ASSERT_THAT(test, IsOk());
    const Samples all = stream.View();
    const std::vector<size_t> unlabelled = {0, 9, 10, 34};
    if (at_once) {
      EXPECT_THAT(test->Take(all, unlabelled), IsOk());
    } else {
      EXPECT_THAT(test->Take(all.First(10), std::vector<size_t>{0, 9}), IsOk());
      EXPECT_THAT(test->Take(all.From(10), std::vector<size_t>{0, 24}), IsOk());
    }
    const BacktestResult result = std::move(*test).Finish();
    EXPECT_EQ(result.num_triggers, 3);
    EXPECT_EQ(result.num_selected, 27);
    EXPECT_EQ(result.triggers[0].num_new, 10);
    EXPECT_EQ(result.triggers[0].num_selected, 8);
    EXPECT_EQ(result.triggers[1].num_selected, 9);
    EXPECT_EQ(result.mean_latency_seconds, 4.5);
    EXPECT_EQ(result.training_seconds, 3 * 2 + 0.5 * 27);
  }
}

TEST(Backtest, CountsWhatWouldHaveBeenTrainedAndHowLongDataWaited) {
  const BacktestResult result = Try(AmountTrigger{.samples = 10}, EachSecond(35), 7);
  EXPECT_EQ(result.num_triggers, 3);
  EXPECT_EQ(result.num_selected, 30);
  EXPECT_EQ(result.num_leftover, 5);
  EXPECT_EQ(result.training_seconds, 3 * (2 + 5));
  // The last of ten samples waits no time, the first one nine seconds.
  EXPECT_EQ(result.mean_latency_seconds, 4.5);
  EXPECT_EQ(result.longest_latency_seconds, 9);
  ASSERT_EQ(result.triggers.size(), 3);
  EXPECT_EQ(result.triggers[2].at, (Cut{{29'000'000}, {31}}));
}

TEST(Backtest, IsTheSameHoweverTheStreamIsCut) {
  const TriggerSpec cost =
      CostTrigger{.evaluate = {.every = Duration{2'000'000}}, .accepted_delay = 3};
  for (const TriggerSpec& policy : {TriggerSpec(TimeTrigger{.every = "13s"}), cost}) {
    const BacktestResult whole = Try(policy, EachSecond(500), 500);
    EXPECT_GT(whole.num_triggers, 3);
    for (const size_t chunk : {1, 7}) {
      const BacktestResult cut = Try(policy, EachSecond(500), chunk);
      EXPECT_EQ(cut.num_triggers, whole.num_triggers);
      EXPECT_EQ(cut.mean_latency_seconds, whole.mean_latency_seconds);
      EXPECT_EQ(cut.training_seconds, whole.training_seconds);
    }
  }
}

TEST(Backtest, CountsWhatTheSelectionTakes) {
  const std::vector<int64_t> num_new = {70, 20, 10};
  const auto selected = [&](const std::string& selection) {
    const auto spec = config::Read<selector::SelectionSpec>(selection, "selection");
    EXPECT_THAT(spec, IsOk());
    return spec.ok() ? NumSelected(*spec, num_new) : 0;
  };
  EXPECT_EQ(selected("{type: new_data, limit: 7}"), 7);
  EXPECT_EQ(selected("new_data"), 10);
  EXPECT_EQ(selected("{type: new_data, tail: 1}"), 30);
  EXPECT_EQ(selected("{type: new_data, tail: 9}"), 100);
  EXPECT_EQ(selected("all_data"), 100);
  EXPECT_EQ(selected("{type: uniform, fraction: 0.25}"), 3);
  EXPECT_EQ(selected("{type: uniform, fraction: 0.25, over: all}"), 25);
  EXPECT_EQ(selected("{type: uniform, fraction: 0.25, warmup_triggers: 3}"), 10);
  EXPECT_EQ(selected("{type: uniform, samples: 50}"), 10);
  EXPECT_EQ(selected("{type: reservoir, samples: 50}"), 50);
  EXPECT_EQ(selected("{type: k_center, fraction: 0.5, tail: 1}"), 15);
  EXPECT_EQ(selected("{type: schedule, steps: [{triggers: 2, use: all_data}, {use: new_data}]}"),
            10);
}

TEST(Backtest, NeedsTrainingsToWeighTheirCost) {
  const TriggerSpec cost = CostTrigger{.evaluate = {.samples = 5}};
  const TriggerSpec nested = EnsembleTrigger{.of = {AmountTrigger{}, cost}};
  for (const TriggerSpec& policy : {cost, nested}) {
    EXPECT_THAT(Backtest::Create(policy, {}, std::nullopt).status(),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cost of trainings")));
  }
  EXPECT_THAT(Backtest::Create(AmountTrigger{}, {}, std::nullopt), IsOk());
}

class BacktestTest : public testing::SupervisorFixture {
 protected:
  v1::SubmitPipelineRequest With(const std::string& trigger, const std::string& more) {
    std::string pipeline = *files::Read(testing::kTestdata.string() + "/sound.yaml");
    const size_t at = pipeline.find("trigger:");
    pipeline.replace(at, pipeline.find('\n', at) - at, "trigger: " + trigger);
    v1::SubmitPipelineRequest request;
    request.mutable_command()->set_request_id(Sha256(trigger + more));
    request.set_pipeline(pipeline + more);
    request.set_file_name("sound.yaml");
    request.set_base_folder(testing::kTestdata.string());
    return request;
  }
  RunId Finish(const v1::SubmitPipelineRequest& request) {
    const RunId run = Submit(request);
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    return run;
  }
  // The same pipeline with different windows.
  v1::SubmitPipelineRequest WithWindows(const std::string& trigger, const std::string& windows) {
    v1::SubmitPipelineRequest request = With(trigger, "");
    const std::string between = "{type: between_triggers}";
    std::string pipeline = request.pipeline();
    pipeline.replace(pipeline.find(between), between.size(), windows);
    request.set_pipeline(pipeline);
    request.mutable_command()->set_request_id(Sha256(trigger + windows));
    return request;
  }
  absl::StatusOr<v1::WatchBacktestResponse::Final> Try(const std::vector<std::string>& policies,
                                                       int64_t run = 0,
                                                       const std::string& measure = "") {
    v1::WatchBacktestRequest request;
    request.set_pipeline_name("weather");
    request.set_run_id(run);
    request.set_measure(measure);
    for (const std::string& policy : policies) {
      auto& asked = *request.add_policies();
      asked.set_name("p" + std::to_string(request.policies_size()));
      asked.set_text(policy);
    }
    return supervisor_->backtests().Run(request, [](const auto&) { return absl::OkStatus(); });
  }
};

// "cut new-samples" of each trigger.
template <typename Triggers, typename Count>
std::vector<std::string> Shown(const Triggers& triggers, const Count& count) {
  std::vector<std::string> shown;
  for (const auto& trigger : triggers) {
    shown.push_back(trigger.at().ShortDebugString() + fmt::format(" {}", count(trigger)));
  }
  return shown;
}

TEST_F(BacktestTest, DecidesAsAReplayDoes) {
  for (const char* more :
       {"", "replay: {from: 1970-01-01T00:00:03Z, to: 1970-01-01T00:00:31Z}\n"}) {
    for (const char* trigger :
         {"{type: amount, samples: 4}", "{type: time, every: 7s}", "{type: never, first: 9}",
          "{type: manual, at: [1970-01-01T00:00:04Z, 1970-01-01T00:00:20Z]}",
          "{type: ensemble, vote: all, of: [{type: amount, samples: 4}, {type: time, every: 7s}]}",
          "{type: ensemble, vote: any, of: [{type: amount, samples: 4}, {type: time, every: "
          "7s}]}"}) {
      const v1::GetRunResponse run = Get(Finish(With(trigger, more)));
      ASSERT_EQ(run.run().state(), v1::RUN_STATE_SUCCEEDED) << run.run().error();
      ASSERT_GT(run.triggers_size(), 0);
      const auto tested = Try({});
      ASSERT_THAT(tested, IsOk());
      EXPECT_EQ(Shown(tested->results(0).triggers(),
                      [](const auto& fired) { return fired.num_selected(); }),
                Shown(run.triggers(), [](const auto& fired) { return fired.num_samples(); }))
          << trigger << more;
      EXPECT_EQ(tested->results(0).num_decisions(), run.decisions_size());
    }
  }
}

TEST_F(BacktestTest, ForecastsFromTheTrainingsOfThePipeline) {
  Finish(With("{type: amount, samples: 10}", ""));
  const auto tested = Try({"{type: amount, samples: 5}", "{type: time, every: 10s}",
                           "{type: cost, evaluate: {samples: 2}, accepted_delay: 1e-6}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->num_trainings(), 3);
  EXPECT_EQ(tested->num_samples(), 35);
  ASSERT_EQ(tested->results_size(), 4);
  EXPECT_EQ(tested->results(0).num_triggers(), 7);
  EXPECT_EQ(tested->results(1).name(), "p2");
  EXPECT_TRUE(tested->results(1).has_training_seconds());
  EXPECT_GT(tested->results(2).num_triggers(), 1);
}

// The mean of the models in use, as readers of the run compute it.
double ActiveMean(const v1::GetRunResponse& run) {
  double sum = 0;
  int64_t samples = 0;
  for (const evaluator::v1::Evaluation& value : run.results()) {
    if (!value.active() || !value.slice().empty() || !value.has_value() || value.num_samples() == 0)
      continue;
    sum += value.value() * static_cast<double>(value.num_samples());
    samples += value.num_samples();
  }
  return sum / static_cast<double>(samples);
}

TEST_F(BacktestTest, ValuesTheRunsOwnPolicyAsTheRunDoes) {
  for (const char* trigger : {"{type: amount, samples: 4}", "{type: time, every: 7s}"}) {
    for (const char* windows :
         {"{type: between_triggers}", "{type: slices, every: 3s}",
          "{type: periodic, every: 2s, length: 5s}", "{type: around_triggers, from: 1s, to: 9s}"}) {
      const v1::GetRunResponse run = Get(Finish(WithWindows(trigger, windows)));
      ASSERT_EQ(run.run().state(), v1::RUN_STATE_SUCCEEDED) << run.run().error();
      ASSERT_GT(run.active_size(), 2) << windows;
      const auto tested = Try({});
      ASSERT_THAT(tested, IsOk());
      EXPECT_EQ(tested->run_id(), run.run().run_id());
      EXPECT_EQ(tested->measure(), "accuracy");
      EXPECT_EQ(tested->dataset(), "weather");
      ASSERT_TRUE(tested->results(0).has_value()) << trigger << windows;
      EXPECT_EQ(tested->results(0).value(), ActiveMean(run)) << trigger << windows;
      EXPECT_GT(ActiveMean(run), 1);
    }
  }
}

TEST_F(BacktestTest, ValuesOtherPoliciesByTheNewestModelsTheyCouldHaveHad) {
  const RunId run = Finish(WithWindows("{type: amount, samples: 4}", "{type: slices, every: 5s}"));
  const auto tested = Try({"{type: amount, samples: 10}", "{type: amount, samples: 100}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->run_id(), run.value);
  // Triggers after 10, 20 and 30 samples; models 2, 5 and 7 were trained on 8, 20 and 28. They are
  // in use in the windows from the seconds 10, 20 and 30 on.
  EXPECT_EQ(tested->results(0).value(), (10 * 2 + 10 * 5 + 5 * 7) / 25.0);
  EXPECT_EQ(tested->results(0).num_measured(), 25);
  EXPECT_EQ(tested->results(0).num_windows_left_out(), 2);
  EXPECT_FALSE(tested->results(1).has_value());
  EXPECT_EQ(tested->results(1).num_windows_left_out(), 7);
}

TEST_F(BacktestTest, ValuesPoliciesAlikeThatWouldHaveTrainedOnTheSame) {
  // The one fires when a period of seven seconds ends, the other right after each seventh sample.
  Finish(WithWindows("{type: time, every: 7s}", "{type: slices, every: 5s}"));
  const auto tested = Try({"{type: time, every: 7s}", "{type: amount, samples: 7}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_TRUE(tested->results(0).has_value());
  EXPECT_EQ(tested->results(0).value(), tested->results(1).value());
  EXPECT_EQ(tested->results(1).num_windows_left_out(), 2);
}

TEST_F(BacktestTest, TakesTheMatrixOfTheRunAndMeasureAskedFor) {
  const RunId fine = Finish(WithWindows("{type: amount, samples: 4}", "{type: slices, every: 5s}"));
  EXPECT_THAT(Try({}, fine.value, "accuracy on weather"), IsOk());
  EXPECT_THAT(
      Try({}, fine.value, "f1").status(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("it has: accuracy on weather")));
  EXPECT_THAT(Try({}, 4711).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("4711")));

  v1::SubmitPipelineRequest elsewhere = With("{type: amount, samples: 4}", "");
  std::string pipeline = elsewhere.pipeline();
  for (const std::string before : {"name: ", "datasets:\n  ", "dataset: "}) {
    for (size_t at = 0; (at = pipeline.find(before + "weather")) != std::string::npos;) {
      pipeline.replace(at + before.size(), 7, "climate");
    }
  }
  elsewhere.set_pipeline(pipeline);
  elsewhere.mutable_command()->set_request_id("elsewhere");
  const RunId other = Finish(elsewhere);
  EXPECT_THAT(Try({}, other.value).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("name a run on weather")));
}

TEST_F(BacktestTest, HasNoValuesWithoutWindowsOfTime) {
  const RunId run = Finish(WithWindows("{type: amount, samples: 4}", "{type: whole}"));
  const auto tested = Try({});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->run_id(), 0);
  EXPECT_FALSE(tested->results(0).has_value());
  EXPECT_EQ(tested->first_time(), 0);
  EXPECT_EQ(tested->last_time(), 34'000'000);
  EXPECT_THAT(Try({}, run.value).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("by windows of time")));
  EXPECT_THAT(Try({}, 0, "accuracy").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("there is no accuracy")));
}

TEST_F(BacktestTest, CountsFalseAlarmsOnlyOfPoliciesThatLookAtSamples) {
  Finish(With("{type: amount, samples: 10}", ""));
  v1::WatchBacktestRequest request;
  request.set_pipeline_name("weather");
  request.set_num_shuffles(3);
  const auto quiet = [](const auto&) { return absl::OkStatus(); };
  const auto tested = supervisor_->backtests().Run(request, quiet);
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->num_shuffles(), 0);
  EXPECT_FALSE(tested->results(0).has_num_false_alarms());
  request.set_num_shuffles(-1);
  EXPECT_THAT(supervisor_->backtests().Run(request, quiet).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("from 0 to 1000")));
}

TEST_F(BacktestTest, EndsAtTheNextDecisionOnceNobodyWaitsForIt) {
  Finish(With("{type: amount, samples: 10}", ""));
  v1::WatchBacktestRequest request;
  request.set_pipeline_name("weather");
  int num_asked = 0;
  const auto tested = supervisor_->backtests().Run(
      request, [](const auto&) { return absl::OkStatus(); }, [&] { return ++num_asked < 3; });
  EXPECT_THAT(tested.status(), StatusIs(absl::StatusCode::kCancelled,
                                        HasSubstr("no caller waits for the backtest")));
  EXPECT_EQ(num_asked, 3);
}

TEST_F(BacktestTest, TriesThePipelinesOwnPolicyBesideTheOthersOnce) {
  Finish(With("{type: amount, samples: 10}", ""));
  const auto beside = Try({"{type: amount, samples: 5}"});
  ASSERT_THAT(beside, IsOk());
  ASSERT_EQ(beside->results_size(), 2);
  EXPECT_FALSE(beside->results(0).own());
  EXPECT_TRUE(beside->results(1).own());
  EXPECT_EQ(beside->results(1).name(), "(the pipeline's)");
  EXPECT_EQ(beside->results(1).num_triggers(), 3);
  const auto among = Try({"{type: amount, samples: 10}", "{type: amount, samples: 5}"});
  ASSERT_THAT(among, IsOk());
  ASSERT_EQ(among->results_size(), 2);
  EXPECT_TRUE(among->results(0).own());
}

TEST_F(BacktestTest, SaysWhyThePipelinesOwnPolicyIsNotTried) {
  Finish(With("{type: performance, evaluate: {samples: 10}, criterion: {type: threshold, at: 0.5}}",
              ""));
  const auto tested = Try({"{type: amount, samples: 5}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->results_size(), 1);
  EXPECT_THAT(tested->own_left_out(), HasSubstr("the drift of embeddings or predictions"));
  EXPECT_THAT(Try({}).status(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("")));
}

TEST_F(BacktestTest, RefusesWhatIsNotAPolicy) {
  Finish(With("{type: amount, samples: 10}", ""));
  EXPECT_THAT(Try({"{type: amount, sample: 5}"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sample")));
  v1::WatchBacktestRequest unknown;
  unknown.set_pipeline_name("nothing");
  EXPECT_THAT(
      supervisor_->backtests().Run(unknown, [](const auto&) { return absl::OkStatus(); }).status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("nothing")));
}

}  // namespace
}  // namespace tidemill::supervisor
