#include "supervisor/statistics/waiting_cost.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::HasSubstr;
using testing::IsNear;
using testing::Numbers;
using testing::Vectors;
using ::tidemill::testing::StatusIs;

constexpr int64_t kSecond = 1'000'000;

TEST(WaitingCost, IntegratesHowManyWait) {
  const auto expected = Numbers(Vectors().at("cost").at("latency"));
  WaitingCost cost;
  cost.Add(std::vector<int64_t>{0, 5 * kSecond, 10 * kSecond});
  EXPECT_EQ(cost.At({10 * kSecond}), expected[0]);
  cost.Add(std::vector<int64_t>{15 * kSecond, 20 * kSecond});
  EXPECT_EQ(cost.At({20 * kSecond}), expected[1]);
  cost.Add(std::vector<int64_t>{30 * kSecond});
  EXPECT_EQ(cost.At({30 * kSecond}), expected[2]);
  EXPECT_EQ(cost.waiting, 6);
}

TEST(WaitingCost, WeighsSamples) {
  WaitingCost cost;
  cost.AddWeighted({1 * kSecond}, 1);
  cost.AddWeighted({2 * kSecond}, 0.5);
  EXPECT_EQ(cost.At({3 * kSecond}), 2.5);
  cost.AddWeighted({6 * kSecond}, 4);
  cost.AddWeighted({7 * kSecond}, 2);
  EXPECT_EQ(cost.At({13 * kSecond}), 57.5);
}

TEST(WaitingCost, SpreadsWeightOverAnInterval) {
  struct Interval {
    double weight;
    int64_t seconds;
    double expected;
  };
  const auto run = [](const std::vector<Interval>& intervals) {
    WaitingCost cost;
    int64_t time = 0;
    for (const Interval& interval : intervals) {
      const int64_t end = time + interval.seconds * kSecond;
      cost.AddSpread({time}, {end}, interval.weight);
      EXPECT_EQ(cost.At({end}), interval.expected);
      time = end;
    }
  };
  run({{4, 10, 20}, {0, 10, 60}, {2, 5, 85}});
  run({{1, 2, 1}, {0.5, 4, 6}});
}

TEST(WaitingCost, DoesNotDependOnHowTheStreamIsCut) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 1000; ++i) times.push_back(i * 777'777 / 13);
  WaitingCost all;
  all.Add(times);
  for (const size_t size : {1, 7, 999}) {
    WaitingCost cut;
    const std::span<const int64_t> rest = times;
    for (size_t at = 0; at < times.size(); at += size) {
      cut.Add(rest.subspan(at, std::min(size, times.size() - at)));
      cut = *RestoreState<WaitingCost>(SealState(cut));
    }
    EXPECT_EQ(cut, all);
  }
}

// Seconds between two triggers when one sample arrives at a constant rate, evaluated at each
// arrival.
double Period(double rho, const Line& line, double rate, int64_t trigger) {
  WaitingCost cost;
  const auto step = static_cast<int64_t>(1e6 / rate);
  int64_t last = 0;
  for (int64_t time = step;; time += step) {
    // Half way between two arrivals, as if samples came as a flow.
    cost.AddSpread({time - step}, {time}, 1);
    if (cost.At({time}) / rho < line.At(cost.waiting)) continue;
    if (trigger-- == 0) return static_cast<double>(time - last) / 1e6;
    cost.Reset({time});
    last = time;
  }
}

TEST(WaitingCost, FiresPeriodicallyOnAConstantStream) {
  for (const auto& known : Vectors().at("cost").at("tau")) {
    const double rho = known.at("rho").get<double>(), rate = known.at("lam").get<double>();
    const Line line = {.intercept = known.at("a").get<double>(),
                       .slope = known.at("b").get<double>()};
    const double tau = known.at("tau").get<double>();
    EXPECT_THAT(BalancedPeriod(rho, line, rate), IsNear(tau));
    for (const int64_t trigger : {0, 1, 5}) {
      // At the first evaluation at or behind tau.
      EXPECT_NEAR(Period(rho, line, rate, trigger), std::ceil(tau * rate - 1e-9) / rate, 1e-6);
    }
  }
}

TEST(TrainingCost, AgreesWithScikitLearn) {
  const auto& known = Vectors().at("cost").at("ridge_cost");
  TrainingCost cost;
  const auto samples = Numbers(known.at("n")), seconds = Numbers(known.at("t"));
  for (size_t i = 0; i < samples.size(); ++i) {
    cost.Add(static_cast<int64_t>(samples[i]), seconds[i]);
  }
  EXPECT_THAT(cost.Fit().At(3000), IsNear(known.at("pred3000").get<double>()));
  EXPECT_NEAR(cost.Fit().slope, 0.0090714266, 5e-11);
  EXPECT_EQ(*cost.Predict(3000), cost.Fit().At(3000));
  EXPECT_EQ(*RestoreState<TrainingCost>(SealState(cost)), cost);
}

TEST(TrainingCost, NeverFallsWithMoreSamples) {
  TrainingCost falling;
  falling.Add(1000, 30);
  falling.Add(2000, 10);
  EXPECT_DOUBLE_EQ(*falling.Predict(1), 20);
  EXPECT_DOUBLE_EQ(*falling.Predict(1'000'000), 20);
  TrainingCost steep;
  steep.Add(1000, 1);
  steep.Add(2000, 100);
  EXPECT_GT(*steep.Predict(1), 0);
  EXPECT_DOUBLE_EQ(*steep.Predict(0, 0.5), 0.5);
}

TEST(TrainingCost, KnowsNothingBeforeTheFirstTraining) {
  TrainingCost cost;
  EXPECT_THAT(cost.Predict(10),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no training")));
  cost.Add(1000, 8);
  EXPECT_DOUBLE_EQ(*cost.Predict(5000), 8);
}

TEST(TrainingCost, RemembersTheLatest) {
  TrainingCost cost = {.most = 2};
  for (const int64_t n : {1, 2, 3}) cost.Add(n, static_cast<double>(n));
  EXPECT_EQ(cost.samples, (std::vector<double>{2, 3}));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
