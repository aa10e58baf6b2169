#include "supervisor/triggers/plain/cost_trigger.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/statistics/testing/vectors.h"
#include "supervisor/testing/event_times.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/plain/lasting_errors.h"
#include "supervisor/triggers/testing/policy_driver.h"
#include "supervisor/triggers/training_cost.h"
#include "supervisor/triggers/waiting.h"

namespace tidemill::supervisor {
namespace {

using statistics::testing::IsNear;
using statistics::testing::Numbers;
using statistics::testing::Vectors;
using testing::kSecond;
using testing::Make;
using testing::Stream;

TEST(Waiting, IsTheAreaUnderTheNumberOfSamplesThatWait) {
  Waiting waiting;
  const auto at = [&](std::vector<int64_t> seconds, int64_t end) {
    for (int64_t& time : seconds) time *= kSecond;
    waiting.Take(seconds);
    return waiting.At({end * kSecond});
  };
  const auto expected = Numbers(Vectors().at("cost").at("latency"));
  EXPECT_EQ(at({0, 5, 10}, 10), expected[0]);
  EXPECT_EQ(at({15, 20}, 20), expected[1]);
  EXPECT_EQ(at({30}, 30), expected[2]);
  EXPECT_EQ(waiting.num_samples(), 6);
}

// Two samples that count 1 and 1/2 from seconds 1 and 2 on, then ones of 4 and 2: all twice, to be
// whole.
TEST(Waiting, CountsSamplesOfOneTimeTogether) {
  Waiting waiting;
  const auto take = [&](int64_t second, size_t times) {
    waiting.Take(std::vector<int64_t>(times, second * kSecond));
  };
  take(1, 2);
  take(2, 1);
  EXPECT_EQ(waiting.At({3 * kSecond}), 2 * 2.5);
  take(6, 8);
  take(7, 4);
  EXPECT_EQ(waiting.At({13 * kSecond}), 2 * 57.5);
}

TEST(Waiting, DoesNotDependOnHowTheStreamIsCut) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 1000; ++i) times.push_back(i * 777'777 / 13);
  Waiting all;
  all.Take(times);
  for (const size_t size : {1, 7, 999}) {
    Waiting cut;
    const std::span<const int64_t> rest = times;
    for (size_t at = 0; at < times.size(); at += size) {
      cut.Take(rest.subspan(at, std::min(size, times.size() - at)));
      cut = *statistics::RestoreState<Waiting>(statistics::SealState(cut));
    }
    EXPECT_EQ(statistics::SealState(cut), statistics::SealState(all));
  }
}

TEST(Waiting, HoldsTenMillionSamplesOfOurDays) {
  Waiting waiting;
  const int64_t time = ParseTimestamp("2026-01-31")->micros;
  const std::vector<int64_t> many(1000, time);
  for (int i = 0; i < 10'000; ++i) waiting.Take(many);
  EXPECT_EQ(waiting.At({time + kSecond}), 1e7);
}

TEST(TrainingCostModel, IsARidgeRegressionOnTheNumberOfSamples) {
  const auto& known = Vectors().at("cost").at("ridge_cost");
  const auto samples = Numbers(known.at("n")), seconds = Numbers(known.at("t"));
  TrainingCostModel model(1000);
  for (size_t i = 0; i < samples.size(); ++i) {
    model.Add({.num_samples = static_cast<int64_t>(samples[i]), .seconds = seconds[i]});
    // One training gives a constant.
    if (i == 0) {
      EXPECT_EQ(model.Fit().Seconds(5000), seconds[0]);
    }
  }
  EXPECT_NEAR(model.Fit().per_sample, .0090714266, 5e-11);
  EXPECT_THAT(model.Fit().Seconds(3000), IsNear(known.at("pred3000").get<double>()));
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

TEST(LastingErrors, ContinueUntilTheyAreTrainedAway) {
  LastingErrors errors;
  errors.Clear({0});
  const auto after = [&](double avoidable, int64_t end) {
    errors.Add({end * kSecond}, 100, avoidable + 10, .9);
    return errors.At({end * kSecond});
  };
  EXPECT_NEAR(after(4, 10), 20, 1e-9);
  EXPECT_NEAR(after(0, 20), 60, 1e-9);
  EXPECT_NEAR(after(2, 25), 85, 1e-9);
  errors.Clear({25 * kSecond});
  EXPECT_EQ(errors.At({100 * kSecond}), 0);
}

TEST(LastingErrors, CountFromTheMiddleOfTheirInterval) {
  LastingErrors errors;
  errors.Clear({0});
  errors.Add({2 * kSecond}, 1, 1, 1);
  EXPECT_EQ(errors.At({2 * kSecond}), 1);
  errors.Add({6 * kSecond}, .5, .5, 1);
  EXPECT_EQ(errors.At({6 * kSecond}), 6);
}

TEST(LastingErrors, AreThoseBeyondWhatIsExpected) {
  LastingErrors errors;
  errors.Clear({0});
  errors.Add({2 * kSecond}, 200, 50, .9);
  EXPECT_NEAR(errors.At({2 * kSecond}), 30, 1e-9);
  errors.Add({4 * kSecond}, 200, 5, .9);  // Better than expected: nothing is paid back.
  EXPECT_NEAR(errors.At({4 * kSecond}), 90, 1e-9);
}

// Every fourth sample is one that the active model gets wrong.
class OneInFourWrong : public EvidenceSource {
 public:
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    EXPECT_EQ(request.kind, EvidenceKind::kErrors);
    EvidenceTable table;
    for (int64_t key = request.from.value_or(Cut()).sample_key.value;
         key < request.to.sample_key.value; ++key) {
      ++table.num_rows;
      table.values.push_back(key % 4 == 0 ? 1 : 0);
    }
    return table;
  }
};

TEST(CostTrigger, WeighsMistakesThatANewModelWouldNotMake) {
  Stream stream;
  for (int64_t i = 0; i < 400; ++i) {
    stream.times.push_back(i * kSecond);
    stream.keys.push_back(i);
  }
  OneInFourWrong source;
  const auto drive = [&](double expected, size_t chunk, bool killed) {
    const TriggerSpec spec = CostTrigger{.evaluate = {.samples = 20},
                                         .of = CostOf::kMisclassifications,
                                         .expected_accuracy = expected,
                                         .accepted_delay = 10};
    const auto make = [&](const std::string& sealed) {
      return *Decider::Create(spec, sealed, &source);
    };
    return testing::Drive(make(""), stream, 0, chunk, [&](Decider& decider) {
      if (killed) decider = make(decider.Seal());
    });
  };
  const std::vector<Decision> whole = drive(.85, 400, false);
  ASSERT_EQ(whole.size(), 20);
  EXPECT_TRUE(whole[0].fired) << "there is no model";
  EXPECT_TRUE(whole[1].fired);
  // Five of twenty samples are wrong, and three were expected.
  EXPECT_NEAR(whole[1].verdict.observed().at("waited"), 2 * 20 / 2, 1e-9);
  EXPECT_EQ(drive(.85, 1, false), whole);
  EXPECT_EQ(drive(.85, 7, true), whole);
  // A model that is as good as a new one is left alone.
  const std::vector<Decision> good = drive(.75, 400, false);
  EXPECT_TRUE(good[0].fired);
  for (size_t i = 1; i < good.size(); ++i) EXPECT_FALSE(good[i].fired);
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
    // What is known about larger trainings, so that the fit is the line itself.
    if (++number == 1) decider.Learn({.num_samples = 1'000'000, .seconds = cost(1'000'000)});
    const double at = static_cast<double>(decision->at.event_time.micros) / kSecond;
    if (number > 2) seconds.push_back(at - last);
    last = at;
  }
  return seconds;
}

// The regret is zero again after each training, and a larger acceptance waits longer.
TEST(CostTrigger, FiresPeriodicallyAtTheIntervalOfLeastCost) {
  std::vector<Economy> economies = {{4, 50, 0, 1, 20.0}};
  for (const auto& known : Vectors().at("cost").at("tau")) {
    const auto number = [&](const char* name) { return known.at(name).get<double>(); };
    economies.push_back({number("rho"), number("a"), number("b"), number("lam"), number("tau")});
  }
  for (const Economy& economy : economies) {
    const double rho_b = economy.accepted * economy.b;
    EXPECT_NEAR(rho_b + std::sqrt(rho_b * rho_b + 2 * economy.accepted * economy.a / economy.rate),
                economy.interval, 1e-9);
    const std::vector<double> intervals = Intervals(economy, 10'000);
    ASSERT_GT(intervals.size(), 50);
    // Arrivals come one by one: half a sample's time is between them and the steady stream.
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

TEST(CostTrigger, WaitsWithItsFirstTrainingForTheGivenNumberOfSamples) {
  const Stream stream{.times = {0, 1, 2, 3, 4, 5}, .keys = {1, 2, 3, 4, 5, 6}};
  const CostTrigger spec = {.evaluate = {.samples = 2}, .accepted_delay = 1e9, .first = 5};
  const auto decisions = testing::Decide(spec, stream, 4);
  ASSERT_EQ(decisions.size(), 3U);
  EXPECT_FALSE(decisions[1].fired);
  EXPECT_TRUE(decisions[2].fired);
  EXPECT_EQ(Explain(spec, decisions[1].verdict),
            "4 samples had come and there was no model; the first training waits for 5 samples");
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
  const Verdict verdict = Judge(spec, ObservedOf({{number::kSamples, 100},
                                                  {number::kWaited, 400},
                                                  {number::kTrainings, 3},
                                                  {number::kBaseSeconds, 30},
                                                  {number::kSecondsPerSample, .1}}));
  EXPECT_TRUE(verdict.fired());
  EXPECT_EQ(verdict.comparison().ShortDebugString(),
            Compared("cost of waiting", 40, 40, "seconds").ShortDebugString());
  Observed less = verdict.observed();
  less[number::kWaited] = 200;
  const Verdict refused = Judge(spec, less);
  EXPECT_FALSE(refused.fired());
  EXPECT_EQ(MarginOf(refused.comparison()), -20);
  EXPECT_EQ(refused.nearest().ShortDebugString(),
            ChangeOf("accepted_delay", 10, 5).ShortDebugString());
  EXPECT_EQ(Explain(spec, refused),
            "100 samples had waited 200 sample-seconds together, worth 20 s of training at "
            "`accepted_delay` 10; a training was forecast to take 40 s (from 3 trainings). If no "
            "more samples come, a training pays off 2 s later");
}

// The forecasts of a policy that has learned of one training, by the price that it weighs.
double ForecastBy(TrainingPrice price, const TrainingCost& cost) {
  Decider decider = Make(CostTrigger{
      .evaluate = {.samples = 1}, .accepted_delay = 1, .price = price, .least_cost = Duration{1}});
  const Stream stream{.times = {0, kSecond, 2 * kSecond}, .keys = {1, 2, 3}};
  Samples ahead = stream.View();
  EXPECT_TRUE((*decider.Next(ahead))->fired) << "there is no model";
  decider.Learn(cost);
  return (*decider.Next(ahead))->verdict.comparison().threshold();
}

TEST(CostTrigger, WeighsThePriceThatItsSpecNames) {
  const TrainingCost cost{.num_samples = 1, .seconds = 10, .processor_seconds = 40, .money = 0.25};
  EXPECT_EQ(ForecastBy(TrainingPrice::kSeconds, cost), 10);
  EXPECT_EQ(ForecastBy(TrainingPrice::kProcessorSeconds, cost), 40);
  EXPECT_EQ(ForecastBy(TrainingPrice::kMoney, cost), 0.25);
  const auto needs = [](TrainingPrice price) {
    CostTrigger spec;
    spec.price = price;
    return NeedsOf(spec);
  };
  EXPECT_FALSE(needs(TrainingPrice::kSeconds).usage);
  EXPECT_TRUE(needs(TrainingPrice::kProcessorSeconds).usage);
  EXPECT_FALSE(needs(TrainingPrice::kProcessorSeconds).prices);
  EXPECT_TRUE(needs(TrainingPrice::kMoney).prices);
}

TEST(CostTrigger, SaysInWhichUnitATrainingCosts) {
  const CostTrigger spec{
      .evaluate = {.samples = 1}, .accepted_delay = 10, .price = TrainingPrice::kMoney};
  const Verdict verdict = Judge(spec, ObservedOf({{number::kSamples, 100},
                                                  {number::kWaited, 2},
                                                  {number::kTrainings, 3},
                                                  {number::kBaseSeconds, 0.25},
                                                  {number::kSecondsPerSample, 0}}));
  EXPECT_EQ(verdict.comparison().ShortDebugString(),
            Compared("cost of waiting", 0.2, 0.25, "money").ShortDebugString());
  EXPECT_EQ(Explain(spec, verdict),
            "100 samples had waited 2 sample-seconds together, worth 0.2 (money) of training at "
            "`accepted_delay` 10; a training was forecast to cost 0.25 (money) (from 3 "
            "trainings). If no more samples come, a training pays off 0.005 s later");
}

}  // namespace
}  // namespace tidemill::supervisor
