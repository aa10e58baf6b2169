#include "evaluator/measures/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/confusion_matrix.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "evaluator/measures/testing/outcomes.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;

const std::vector<MeasureSpec> kAccuracy = {Accuracy{}};

std::vector<int64_t> KeysFrom(int64_t first, size_t count) {
  std::vector<int64_t> keys(count);
  std::iota(keys.begin(), keys.end(), first);
  return keys;
}

TEST(Bootstrap, DrawsFromThePoissonDistributionOfMeanOne) {
  const auto bits = KeyBits(KeysFrom(0, 100'000), 3);
  std::vector<uint8_t> draws[4];
  for (auto& lane : draws) lane.resize(bits.size());
  const std::span<uint8_t> lanes[] = {draws[0], draws[1], draws[2], draws[3]};
  DrawWeights(bits, 7, lanes);
  for (const auto& lane : draws) {
    double expected = std::exp(-1.0);
    for (int draw = 0; draw < 5; ++draw) {
      const auto share = static_cast<double>(std::count(lane.begin(), lane.end(), draw)) / 1e5;
      EXPECT_NEAR(share, expected, 4 * std::sqrt(expected / 1e5)) << draw;
      expected /= draw + 1;
    }
  }
  EXPECT_NE(draws[0], draws[1]);
}

TEST(Bootstrap, DoesNotDependOnTheOrderOfSamples) {
  constexpr size_t kCount = 300;
  std::vector<int64_t> keys = KeysFrom(1000, kCount);
  std::vector<int64_t> truth, zeros(kCount, 0);
  for (const int64_t key : keys) {
    truth.push_back(RandomUnit({.purpose = "test"}, key) < 0.7 ? 0 : 1);
  }
  const auto interval = [&] {
    return *BootstrapIntervals(kAccuracy, {.predicted_classes = zeros, .true_classes = truth},
                               {.keys = keys}, 200, 0)[0];
  };
  const Interval straight = interval();
  std::reverse(keys.begin(), keys.end());
  std::reverse(truth.begin(), truth.end());
  const Interval reversed = interval();
  EXPECT_EQ(straight.low, reversed.low);
  EXPECT_EQ(straight.high, reversed.high);
  EXPECT_LT(straight.low, straight.high);
}

// 400 data sets of 200 samples, each right with probability .7: the interval of accuracy covers
// .7 in about 95 % of them.
TEST(Bootstrap, CoversTheTruthAsOftenAsItSays) {
  constexpr int64_t kCount = 200;
  const std::vector<int64_t> zeros(kCount, 0);
  int covered = 0;
  for (int64_t trial = 0; trial < 400; ++trial) {
    const std::vector<int64_t> keys = KeysFrom(trial * kCount, kCount);
    std::vector<int64_t> truth;
    for (const int64_t key : keys) {
      truth.push_back(RandomUnit({.purpose = "coverage"}, key) < 0.7 ? 0 : 1);
    }
    const auto intervals = BootstrapIntervals(
        kAccuracy, {.predicted_classes = zeros, .true_classes = truth}, {.keys = keys}, 200, trial);
    covered += intervals[0]->low <= 0.7 && 0.7 <= intervals[0]->high ? 1 : 0;
  }
  EXPECT_GE(covered, 360);
  EXPECT_LE(covered, 396);
}

// The standard error of a mean of n values is their deviation by the square root of n.
TEST(Bootstrap, IsAsWideAsTheStandardErrorSays) {
  constexpr size_t kCount = 2000;
  std::vector<float> truth(kCount, 0), predicted;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < kCount; ++i) {
    predicted.push_back(static_cast<float>(RandomUnit({.purpose = "error"}, i)));
    sum += predicted.back();
    squares += predicted.back() * predicted.back();
  }
  const std::vector<MeasureSpec> mae = {MeanAbsoluteError{}};
  const std::vector<int64_t> keys = KeysFrom(0, kCount);
  const auto intervals = BootstrapIntervals(
      mae, {.predicted_values = predicted, .true_values = truth}, {.keys = keys}, 1000, 0);
  const double mean = sum / kCount;
  const double error = std::sqrt((squares / kCount - mean * mean) / kCount);
  EXPECT_THAT(intervals[0]->high - intervals[0]->low, DoubleNear(2 * 1.96 * error, 0.4 * error));
  EXPECT_THAT((intervals[0]->high + intervals[0]->low) / 2, DoubleNear(mean, 0.2 * error));
}

// 19 of 20 right, the wrong ones in two runs.
TEST(Bootstrap, StaysWithinTheRangeOfAMeasureWhereSamplesFollowOneAnother) {
  std::vector<int64_t> truth(200, 0);
  std::fill_n(truth.begin() + 40, 5, 1);
  std::fill_n(truth.begin() + 130, 5, 1);
  const std::vector<int64_t> zeros(200, 0), keys = KeysFrom(0, 200);
  const auto interval = [&] {
    return *BootstrapIntervals(kAccuracy, {.predicted_classes = zeros, .true_classes = truth},
                               {.keys = keys}, 200, 0)[0];
  };
  const Interval in_runs = interval();
  EXPECT_LT(in_runs.high, 1);
  EXPECT_LT(in_runs.low, 0.9);
  for (size_t i = 0; i < 5; ++i) {
    std::swap(truth[40 + i], truth[7 + 23 * i]);
    std::swap(truth[130 + i], truth[20 + 33 * i]);
  }
  const Interval apart = interval();
  EXPECT_LT(apart.high - apart.low, 0.8 * (in_runs.high - in_runs.low));
}

TEST(Bootstrap, HasNoIntervalWhereAMeasureIsMostlyUndefined) {
  const std::vector<int64_t> keys = KeysFrom(0, 4);
  const testing::Predicted one_positive({1, 0, 0, 0}, {.9F, .2F, .3F, .1F});
  const std::vector<MeasureSpec> measures = {RocAuc{}, Accuracy{}, ConfusionMatrix{}};
  Outcomes outcomes = one_positive.outcomes();
  outcomes.predicted_classes = outcomes.true_classes;
  const auto intervals = BootstrapIntervals(measures, outcomes, {.keys = keys}, 200, 0);
  ASSERT_TRUE(intervals[0].has_value()) << "the positive is drawn in 63 % of the replicates";
  EXPECT_EQ(intervals[1]->low, 1);
  EXPECT_FALSE(intervals[2].has_value());
  const testing::Predicted none({0, 0, 0, 0}, {.9F, .2F, .3F, .1F});
  outcomes = none.outcomes();
  outcomes.predicted_classes = outcomes.true_classes;
  EXPECT_FALSE(BootstrapIntervals(measures, outcomes, {.keys = keys}, 200, 0)[0].has_value());
}

TEST(Bootstrap, HasNoIntervalOfOneSampleOrNoReplicates) {
  const std::vector<int64_t> zeros = {0, 0};
  const std::vector<int64_t> keys = KeysFrom(0, 2);
  const Outcomes both = {.predicted_classes = zeros, .true_classes = zeros};
  EXPECT_FALSE(
      BootstrapIntervals(kAccuracy, both, {.keys = std::span(keys).first(2)}, 0, 0)[0].has_value());
  const Outcomes one = {.predicted_classes = std::span(zeros).first(1),
                        .true_classes = std::span(zeros).first(1)};
  EXPECT_FALSE(BootstrapIntervals(kAccuracy, one, {.keys = std::span(keys).first(1)}, 200, 0)[0]
                   .has_value());
}

}  // namespace
}  // namespace tidemill::evaluator
