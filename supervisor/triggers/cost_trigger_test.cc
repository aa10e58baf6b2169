#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/testing/policy_driver.h"
#include "supervisor/triggers/training_cost.h"
#include "supervisor/triggers/waiting.h"

namespace tidemill::supervisor {
namespace {

using testing::Make;
using testing::Stream;

constexpr int64_t kSecond = 1'000'000;

TEST(Waiting, IsTheAreaUnderTheNumberOfSamplesThatWait) {
  Waiting waiting;
  const auto at = [&](std::vector<int64_t> seconds, int64_t end) {
    for (int64_t& time : seconds) time *= kSecond;
    waiting.Take(seconds);
    return waiting.At({end * kSecond});
  };
  EXPECT_EQ(at({0, 5, 10}, 10), 15);
  EXPECT_EQ(at({15, 20}, 20), 50);
  EXPECT_EQ(at({30}, 30), 100);
  EXPECT_EQ(waiting.num_samples(), 6);
}

TEST(Waiting, HoldsTenMillionSamplesOfOurDays) {
  Waiting waiting;
  const int64_t time = ParseTimestamp("2026-01-31")->micros;
  const std::vector<int64_t> many(1000, time);
  for (int i = 0; i < 10'000; ++i) waiting.Take(many);
  EXPECT_EQ(waiting.At({time + kSecond}), 1e7);
}

TEST(TrainingCostModel, IsARidgeRegressionOnTheNumberOfSamples) {
  TrainingCostModel model(1000);
  model.Add({.num_samples = 1000, .seconds = 10});
  EXPECT_EQ(model.Fit().Seconds(5000), 10);
  model.Add({.num_samples = 2000, .seconds = 18});
  model.Add({.num_samples = 4000, .seconds = 37});
  EXPECT_NEAR(model.Fit().per_sample, .0090714266, 1e-10);
  EXPECT_NEAR(model.Fit().Seconds(3000), 27.7142844184, 1e-9);
}

TEST(TrainingCostModel, ForecastsNothingBelowZero) {
  TrainingCostModel falling(1000);
  falling.Add({.num_samples = 1000, .seconds = 10});
  falling.Add({.num_samples = 2000, .seconds = 4});
  EXPECT_EQ(falling.Fit().per_sample, 0);
  EXPECT_EQ(falling.Fit().base, 7);
  TrainingCostModel steep(1000);
  steep.Add({.num_samples = 1000, .seconds = 1});
  steep.Add({.num_samples = 2000, .seconds = 4});
  EXPECT_EQ(steep.Fit().base, 0);
  EXPECT_GT(steep.Fit().per_sample, 0);
  EXPECT_EQ(TrainingCostModel(1000).Fit().Seconds(10), 0);
}

TEST(TrainingCostModel, SeesNoSlopeWhereAllTrainingsAreOfOneSize) {
  TrainingCostModel model(1000);
  for (const double seconds : {.1, .3, .7}) model.Add({.num_samples = 1344, .seconds = seconds});
  EXPECT_EQ(model.Fit().per_sample, 0);
  EXPECT_NEAR(model.Fit().base, 1.1 / 3, 1e-12);
}

TEST(TrainingCostModel, ForgetsTrainingsBeyondItsWindow) {
  TrainingCostModel model(2);
  model.Add({.num_samples = 1, .seconds = 1000});
  model.Add({.num_samples = 10, .seconds = 5});
  model.Add({.num_samples = 20, .seconds = 5});
  EXPECT_NEAR(model.Fit().Seconds(15), 5, 1e-12);
}

// Arrivals of `rate` a second, trainings of a + b n seconds.
struct Economy {
  double accepted, a, b, rate, interval;
};

// Seconds between the triggers of a policy in an economy, from the third one on: by then two
// trainings of different size are known.
std::vector<double> Intervals(const Economy& economy, int64_t every_micros) {
  Stream stream;
  for (int64_t i = 0; i < 2000; ++i) {
    stream.times.push_back(static_cast<int64_t>(static_cast<double>(i) * kSecond / economy.rate));
    stream.keys.push_back(i);
  }
  Decider decider = Make(CostTrigger{.evaluate = {.every = Duration{every_micros}},
                                     .accepted_delay = economy.accepted});
  std::vector<double> seconds;
  double last = 0;
  int64_t number = 0;
  for (Samples ahead = stream.View(); auto decision = *decider.Next(ahead);) {
    if (!decision->fired) continue;
    const auto cost = [&](int64_t n) { return economy.a + economy.b * static_cast<double>(n); };
    decider.Learn({.num_samples = decision->num_new, .seconds = cost(decision->num_new)});
    // What is known of larger trainings, so that the fit is the line itself.
    if (++number == 1) decider.Learn({.num_samples = 1'000'000, .seconds = cost(1'000'000)});
    const double at = static_cast<double>(decision->at.event_time.micros) / kSecond;
    if (number > 2) seconds.push_back(at - last);
    last = at;
  }
  return seconds;
}

// The regret is zero again after each training, and a larger acceptance waits longer.
TEST(CostTrigger, FiresPeriodicallyAtTheIntervalOfLeastCost) {
  for (const Economy& economy :
       {Economy{1, 50, 0, 1, 10.0}, Economy{2, 30, .01, 5, 4.9190203102253},
        Economy{4, 50, 0, 1, 20.0}}) {
    EXPECT_NEAR(
        economy.accepted * economy.b + std::sqrt(std::pow(economy.accepted * economy.b, 2) +
                                                 2 * economy.accepted * economy.a / economy.rate),
        economy.interval, 1e-9);
    const std::vector<double> intervals = Intervals(economy, 10'000);
    ASSERT_GT(intervals.size(), 50);
    // Arrivals come one by one: half a sample's time lies between them and the steady stream.
    for (const double interval : intervals) {
      EXPECT_NEAR(interval, economy.interval, 0.5 / economy.rate + 0.02);
    }
  }
}

TEST(CostTrigger, FiresAtItsFirstEvaluationAsThereIsNoModel) {
  const Stream stream{.times = {0, 1, 2, 3}, .keys = {1, 2, 3, 4}};
  const auto decisions =
      testing::Decide(CostTrigger{.evaluate = {.samples = 2}, .accepted_delay = 1e9}, stream, 4);
  ASSERT_EQ(decisions.size(), 2);
  EXPECT_TRUE(decisions[0].fired);
  EXPECT_FALSE(decisions[1].fired);
}

TEST(CostTrigger, FiresWithinAPauseOfTheStreamOnceWaitingHasCostEnough) {
  // After the first training two samples come, then nothing for a day.
  const Stream stream{.times = {0, 10 * kSecond, 11 * kSecond, 86'400 * kSecond},
                      .keys = {1, 2, 3, 4}};
  Decider decider =
      Make(CostTrigger{.evaluate = {.every = Duration{10 * kSecond}}, .accepted_delay = 100});
  Samples ahead = stream.View();
  ASSERT_TRUE((*decider.Next(ahead))->fired);
  decider.Learn({.num_samples = 1, .seconds = 5});
  const auto refused = *decider.Next(ahead);
  EXPECT_FALSE(refused->fired);
  EXPECT_EQ(refused->at.event_time.micros, 20 * kSecond);
  // 500 sample-seconds of two samples, from 10 and 11 s on, are reached at 260.5 s.
  const auto fired = *decider.Next(ahead);
  EXPECT_TRUE(fired->fired);
  EXPECT_EQ(fired->at.event_time.micros, 270 * kSecond);
  EXPECT_EQ(fired->num_new, 2);
}

TEST(CostTrigger, SaysHowMuchWasMissing) {
  const CostTrigger spec{.evaluate = {.samples = 1}, .accepted_delay = 10};
  const Verdict verdict = Judge(spec, {{"samples", 100},
                                       {"waited", 400},
                                       {"trainings", 3},
                                       {"base_seconds", 30},
                                       {"seconds_per_sample", .1}});
  EXPECT_TRUE(verdict.fired);
  EXPECT_EQ(verdict.comparison, (Comparison{"cost of waiting", 40, 40, "seconds"}));
  Observed less = verdict.observed;
  less["waited"] = 200;
  const Verdict refused = Judge(spec, less);
  EXPECT_FALSE(refused.fired);
  EXPECT_EQ(refused.comparison->margin(), -20);
  EXPECT_EQ(refused.nearest, (Change{"accepted_delay", 10, 5}));
  EXPECT_EQ(Explain(spec, refused),
            "100 samples had waited 200 sample-seconds together, worth 20 s of training at "
            "`accepted_delay` 10; a training was forecast to take 40 s (from 3 trainings). With "
            "nothing more to come it pays 2 s later");
}

}  // namespace
}  // namespace tidemill::supervisor
