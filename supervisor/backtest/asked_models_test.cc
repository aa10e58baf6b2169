#include "supervisor/backtest/asked_models.h"

#include <cmath>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Fires when the active model is wrong about two of the last five samples.
constexpr char kTwoErrors[] =
    "{type: performance, evaluate: {samples: 5}, criterion: {type: threshold, at: 0.7}}";

// One sample a second, with the keys 1 to 35. The model of trigger n is wrong about the keys k for
// which k + n is a multiple of 4, and its accuracy is said to be n.
class AskedModelsTest : public testing::SupervisorFixture {
 protected:
  struct Settings {
    std::string trigger = "{type: amount, samples: 5}";
    std::string selection = "all_data";
    std::string training = "warm_start: false";
    std::string more = "";
  };
  RunId Train(const Settings& settings) {
    std::string pipeline = *files::Read(testing::kTestdata.string() + "/sound.yaml");
    const auto put = [&](const std::string& before, const std::string& after) {
      const size_t at = pipeline.find(before);
      ASSERT_NE(at, std::string::npos) << before;
      pipeline.replace(at, before.size(), after);
    };
    put("{type: amount, samples: 50}", settings.trigger);
    put("new_data", settings.selection);
    put("  seed: 7", "  seed: 7\n  " + settings.training);
    put("{type: between_triggers}", "{type: slices, every: 5s}");
    v1::SubmitPipelineRequest request;
    request.set_pipeline(pipeline + settings.more);
    request.mutable_command()->set_request_id(Sha256(request.pipeline()));
    request.set_file_name("sound.yaml");
    request.set_base_folder(testing::kTestdata.string());
    const RunId run = Submit(request);
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    EXPECT_EQ(Get(run).run().state(), v1::RUN_STATE_SUCCEEDED) << Get(run).run().error();
    return run;
  }
  absl::StatusOr<v1::WatchBacktestResponse::Final> Ask(RunId run,
                                                       const std::vector<std::string>& policies) {
    v1::WatchBacktestRequest request;
    request.set_pipeline_name("weather");
    request.set_run_id(run.value);
    request.set_asks_models(true);
    for (const std::string& policy : policies) {
      auto& asked = *request.add_policies();
      asked.set_name("p" + std::to_string(request.policies_size()));
      asked.set_text(policy);
    }
    return supervisor_->backtests().Run(request, [](const auto&) { return absl::OkStatus(); });
  }
};

std::vector<int64_t> SecondsOf(const v1::BacktestResult& result) {
  std::vector<int64_t> seconds;
  for (const auto& trigger : result.triggers()) {
    seconds.push_back(trigger.at().event_time() / 1'000'000);
  }
  return seconds;
}

TEST_F(AskedModelsTest, PoliciesHearTheModelOfTheirLastTrigger) {
  const auto tested = Ask(Train({}), {kTwoErrors});
  ASSERT_THAT(tested, IsOk());
  const v1::BacktestResult& result = tested->results(0);
  // Model 1 is wrong about 11 and 15, model 3 about 21 and 25, model 5 about 31 and 35.
  EXPECT_THAT(SecondsOf(result), ElementsAre(4, 14, 24, 34));
  EXPECT_EQ(result.num_triggers_between_models(), 0);
  EXPECT_THAT(result.differences(), ElementsAre(HasSubstr("3 of 4 trainings would draw")));
}

TEST_F(AskedModelsTest, WindowsSayWhichModelWasInUseAndHowGoodItWas) {
  const auto tested = Ask(Train({}), {kTwoErrors});
  ASSERT_THAT(tested, IsOk());
  const v1::BacktestResult& result = tested->results(0);
  ASSERT_THAT(tested->windows(), SizeIs(7));
  EXPECT_EQ(tested->windows(1).from().event_time(), 5'000'000);
  EXPECT_EQ(tested->windows(1).to().event_time(), 10'000'000);
  EXPECT_THAT(result.window_models(), ElementsAre(0, 1, 1, 3, 3, 5, 5));
  EXPECT_THAT(result.window_triggers(), ElementsAre(0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(result.window_samples(), ElementsAre(0, 5, 5, 5, 5, 5, 5));
  ASSERT_THAT(result.window_values(), SizeIs(7));
  EXPECT_TRUE(std::isnan(result.window_values(0)));
  EXPECT_EQ(result.window_values(3), 3);
  ASSERT_THAT(tested->models(), SizeIs(7));
  EXPECT_EQ(tested->models(2).trigger(), 3);
  EXPECT_EQ(tested->models(2).at().event_time(), 14'000'000);
}

TEST_F(AskedModelsTest, TriggersBetweenThoseOfTheRunAreCounted) {
  const auto tested = Ask(Train({}), {"{type: amount, samples: 10}", "{type: amount, samples: 7}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->results(0).num_triggers_between_models(), 0);
  // All but the one after 35 samples.
  EXPECT_EQ(tested->results(1).num_triggers(), 5);
  EXPECT_EQ(tested->results(1).num_triggers_between_models(), 4);
  EXPECT_THAT(tested->results(1).differences(),
              ElementsAre(HasSubstr("4 of 5 triggers are between"), HasSubstr("1 of 5 trainings")));
}

TEST_F(AskedModelsTest, TheRunsOwnPolicyHasTheSameModels) {
  const auto tested = Ask(Train({}), {"{type: amount, samples: 5}"});
  ASSERT_THAT(tested, IsOk());
  EXPECT_EQ(tested->results(0).num_triggers_between_models(), 0);
  EXPECT_THAT(tested->results(0).differences(), IsEmpty());
}

TEST_F(AskedModelsTest, SaysWhereAModelDependsOnMoreThanItsCut) {
  const auto new_data = Ask(Train({.selection = "new_data"}), {kTwoErrors});
  ASSERT_THAT(new_data, IsOk());
  EXPECT_THAT(new_data->results(0).differences(), Contains(HasSubstr("more than their cuts")));
  const auto fitted = Ask(Train({.training = "warm_start: false\n  fit: first_trigger"}),
                          {"{type: amount, samples: 10}", kTwoErrors});
  ASSERT_THAT(fitted, IsOk());
  EXPECT_THAT(fitted->results(0).differences(),
              Contains(HasSubstr("ops learned at the first trigger")));
  EXPECT_THAT(fitted->results(1).differences(), Not(Contains(HasSubstr("ops learned"))));
}

TEST_F(AskedModelsTest, RefusesModelsOfAnotherHistoryAndThoseThatAreGone) {
  EXPECT_THAT(Ask(Train({.training = "warm_start: true"}), {kTwoErrors}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("warm_start: false")));
  EXPECT_THAT(Ask(Train({.more = "retention: {models: 2}\n"}), {kTwoErrors}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("before trigger 6")));
}

TEST_F(AskedModelsTest, RefusesToAskBeforeTheFirstModel) {
  const auto early = Ask(Train({}), {"{type: performance, evaluate: {samples: 2}, criterion: "
                                     "{type: threshold, at: 0.7}}"});
  EXPECT_THAT(early.status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("p1: the policy needs a model on 1970-01-01T00:00:03Z")));
  EXPECT_THAT(early.status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("first model on 1970-01-01T00:00:04Z")));
}

TEST_F(AskedModelsTest, AnswersAreAskedForOnceForAllPolicies) {
  const RunId run = Train({});
  ASSERT_THAT(Ask(run, {kTwoErrors}), IsOk());
  const int alone = services_.Calls("ReadModelColumns");
  EXPECT_GT(alone, 0);
  ASSERT_THAT(Ask(run, std::vector<std::string>(20, kTwoErrors)), IsOk());
  EXPECT_EQ(services_.Calls("ReadModelColumns"), 2 * alone);
}

}  // namespace
}  // namespace tidemill::supervisor
