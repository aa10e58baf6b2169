#include "supervisor/backtest.h"

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "supervisor/testing/supervisor_fixture.h"
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
  EXPECT_EQ(NumSelected(selector::NewData{.limit = 7}, 10, 100), 7);
  EXPECT_EQ(NumSelected(selector::NewData{}, 10, 100), 10);
  EXPECT_EQ(NumSelected(selector::Uniform{.fraction = .25}, 10, 100), 3);
  EXPECT_EQ(NumSelected(selector::Uniform{.fraction = .25, .over = selector::Pool::kAll}, 10, 100),
            25);
  EXPECT_EQ(NumSelected(selector::Uniform{.samples = 50}, 10, 100), 10);
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
    std::string pipeline = *files::Read(std::string(TIDEMILL_TESTDATA) + "/sound.yaml");
    const size_t at = pipeline.find("trigger:");
    pipeline.replace(at, pipeline.find('\n', at) - at, "trigger: " + trigger);
    v1::SubmitPipelineRequest request;
    request.mutable_command()->set_request_id(trigger + more);
    request.set_pipeline(pipeline + more);
    request.set_file_name("sound.yaml");
    request.set_base_folder(TIDEMILL_TESTDATA);
    return request;
  }
  RunId Finish(const v1::SubmitPipelineRequest& request) {
    const RunId run = Submit(request);
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    return run;
  }
  absl::StatusOr<v1::WatchBacktestResponse::Final> Try(const std::vector<std::string>& policies) {
    v1::WatchBacktestRequest request;
    request.set_pipeline_name("weather");
    for (const std::string& policy : policies) {
      auto& asked = *request.add_policies();
      asked.set_name("p" + std::to_string(request.policies_size()));
      asked.set_text(policy);
    }
    return supervisor_->Backtest(request, [](const auto&) { return absl::OkStatus(); });
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
  ASSERT_EQ(tested->results_size(), 3);
  EXPECT_EQ(tested->results(0).num_triggers(), 7);
  EXPECT_EQ(tested->results(1).name(), "p2");
  EXPECT_TRUE(tested->results(1).has_training_seconds());
  EXPECT_GT(tested->results(2).num_triggers(), 1);
}

TEST_F(BacktestTest, RefusesWhatIsNoPolicy) {
  Finish(With("{type: amount, samples: 10}", ""));
  EXPECT_THAT(Try({"{type: amount, sample: 5}"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sample")));
  v1::WatchBacktestRequest unknown;
  unknown.set_pipeline_name("nothing");
  EXPECT_THAT(supervisor_->Backtest(unknown, [](const auto&) { return absl::OkStatus(); }).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nothing")));
}

}  // namespace
}  // namespace tidemill::supervisor
