#include "supervisor/statistics/false_alarms.h"

#include <algorithm>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/testing/distances.h"
#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/poisson_band.h"
#include "supervisor/statistics/two_samples/distances.h"
#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::HasSubstr;
using testing::Wasserstein;
using ::tidemill::testing::StatusIs;

constexpr int64_t kWindow = 40;

double KsDistance(const Rows& x, const Rows& y) {
  return KolmogorovSmirnovTest(x.values, y.values).distance;
}

// A month of evaluations, one per window, of a history whose order has been shuffled: the reference
// is the window that was current at the last alarm.
int64_t AlarmsInShuffled(std::vector<double> history, int64_t seed, double threshold,
                         const TwoSampleStatistic& statistic) {
  std::vector<int64_t> order(history.size());
  std::iota(order.begin(), order.end(), 0);
  DrawFirst(order, static_cast<int64_t>(order.size()), {.seed = seed, .purpose = "shuffle"});
  const std::vector<double> shuffled = Gather({history}, order);
  const std::span<const double> values = shuffled;
  int64_t alarms = 0;
  size_t reference = 0;
  for (size_t at = kWindow; at + kWindow <= values.size(); at += kWindow) {
    const double score =
        statistic({values.subspan(reference, kWindow)}, {values.subspan(at, kWindow)});
    if (JudgeByThreshold(score, threshold, BadSide::kHigh).fired) {
      ++alarms;
      reference = at;
    }
  }
  return alarms;
}

// 200 shuffled histories of one month each: does their number of alarms fit the rate?
void ExpectRate(const std::vector<double>& history, double per_month,
                const TwoSampleStatistic& statistic, bool at_most) {
  const int64_t num_windows = std::ssize(history) / kWindow;
  const auto evaluations = static_cast<double>(num_windows - 1);
  const double share = *AlarmShare(per_month, evaluations);
  const auto scores =
      *ScoresWithoutDrift({history}, statistic, {kWindow, kWindow, 4 * ScoresNeeded(share), 7});
  const double threshold = *ThresholdAt(scores, share, BadSide::kHigh);
  int64_t alarms = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    alarms += AlarmsInShuffled(history, seed, threshold, statistic);
  }
  const testing::PoissonBand band = testing::PoissonBandOf(200 * per_month);
  EXPECT_LE(alarms, band.high);
  if (!at_most) {
    EXPECT_GE(alarms, band.low);
  }
}

TEST(FalseAlarms, KeepToTheStatedRateOnShuffledHistories) {
  ExpectRate(testing::Normals(1240, 1), 1, Wasserstein, false);
  ExpectRate(testing::Normals(1240, 2), 0.5, Wasserstein, false);
  ExpectRate(testing::Normals(3640, 3), 2, Wasserstein, false);
}

TEST(FalseAlarms, KeepToItWhateverTheDistribution) {
  std::vector<double> heavy = testing::Uniforms(1240, 5);
  for (double& value : heavy) value = 1 / (1e-3 + value);
  ExpectRate(heavy, 1, Wasserstein, false);
}

TEST(FalseAlarms, StayBelowItWhereScoresTie) {
  ExpectRate(testing::Normals(1240, 4), 1, KsDistance, true);
}

TEST(FalseAlarms, KeepToTheRateOnHistoriesOfTheirOwn) {
  // Each history calibrates its own threshold and is watched over fresh windows.
  int64_t alarms = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    const auto all = testing::Normals(3000, 1000 + seed);
    const std::span<const double> values = all;
    const auto scores =
        *ScoresWithoutDrift({values.first(600)}, Wasserstein, {kWindow, kWindow, 1000, seed});
    const double threshold = *ThresholdAt(scores, 1.0 / 30, BadSide::kHigh);
    for (size_t at = 600; at + 2 * kWindow <= values.size(); at += 2 * kWindow) {
      const double score =
          Wasserstein({values.subspan(at, kWindow)}, {values.subspan(at + kWindow, kWindow)});
      alarms += score >= threshold ? 1 : 0;
    }
  }
  const testing::PoissonBand band = testing::PoissonBandOf(200);
  EXPECT_GE(alarms, band.low);
  EXPECT_LE(alarms, band.high);
}

TEST(ThresholdAt, IsTheOrderStatisticThatTheShareNames) {
  std::vector<double> scores(99);
  std::iota(scores.begin(), scores.end(), 1.0);
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.05, BadSide::kHigh), 95);
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.05, BadSide::kLow), 5);
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.055, BadSide::kHigh), 94.5);
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.01, BadSide::kHigh), 99);
}

TEST(ThresholdAt, AsksForScoresEnough) {
  const std::vector<double> scores(50, 1.0);
  EXPECT_THAT(ThresholdAt(scores, 0.01, BadSide::kHigh),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at least 99")));
}

TEST(ThresholdAt, IsBeyondTies) {
  const std::vector<double> scores = {1, 1, 1, 1, 1, 1, 2, 2, 3};
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.2, BadSide::kHigh), 2.5);
  EXPECT_DOUBLE_EQ(*ThresholdAt(scores, 0.5, BadSide::kHigh), 1.5);
  const std::vector<double> same(99, 1.0);
  EXPECT_GT(*ThresholdAt(same, 0.05, BadSide::kHigh), 1);
  EXPECT_LT(*ThresholdAt(same, 0.05, BadSide::kLow), 1);
}

// The example of the header.
TEST(ThresholdOfPaths, CountsThePathsThatEndWithAnAlarm) {
  const std::vector<double> scores = {1, 2, 4, 6, 7, 6, 3, 2, 3, 2, 1,
                                      1, 2, 2, 4, 5, 6, 4, 2, 1, 3};
  EXPECT_EQ(*ThresholdOfPaths(scores, 7, 6.5, BadSide::kHigh), 5);
  EXPECT_EQ(*ThresholdOfPaths(scores, 7, 5.5, BadSide::kHigh), 4);
  EXPECT_THAT(ThresholdOfPaths(scores, 7, 50, BadSide::kHigh),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("21 scores")));
}

TEST(ThresholdOfPaths, IsTheOrderStatisticOfPathsOfOneEvaluation) {
  std::vector<double> scores(99);
  std::iota(scores.begin(), scores.end(), 1.0);
  EXPECT_NEAR(*ThresholdOfPaths(scores, 1, 20, BadSide::kHigh),
              *ThresholdAt(scores, 0.05, BadSide::kHigh), 1);
}

TEST(FalseAlarms, DrawCurrentWindowsThatFollowOneAnother) {
  std::vector<std::vector<int64_t>> windows;
  const NullScores wanted = {
      .reference_rows = 5, .current_rows = 4, .count = 6, .path = 3, .step_rows = 1};
  ASSERT_TRUE(DrawWindows(20, wanted, [&](auto reference, auto current) {
                EXPECT_EQ(reference.size(), 5);
                windows.emplace_back(current.begin(), current.end());
              }).ok());
  ASSERT_EQ(windows.size(), 6);
  for (const size_t i : {0, 1, 3, 4}) {
    EXPECT_TRUE(std::equal(windows[i].begin() + 1, windows[i].end(), windows[i + 1].begin())) << i;
  }
  EXPECT_THAT(DrawWindows(10, wanted, [](auto, auto) {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("10 samples")));
}

TEST(FalseAlarms, NameWhatDoesNotFit) {
  EXPECT_THAT(AlarmShare(31, 30), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("31")));
  EXPECT_DOUBLE_EQ(EvaluationsPerMonth({int64_t{86'400'000'000}}), 30.436875);
  const auto history = testing::Normals(79, 1);
  EXPECT_THAT(ScoresWithoutDrift({history}, Wasserstein, {40, 40, 5, 0}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("79 samples")));
}

TEST(PoissonBand, LeavesTwoAndAHalfPercentOnEitherSide) {
  EXPECT_EQ(testing::PoissonBandOf(200).low, 173);
  EXPECT_EQ(testing::PoissonBandOf(200).high, 228);
  EXPECT_EQ(testing::PoissonBandOf(1).low, 0);
  EXPECT_EQ(testing::PoissonBandOf(1).high, 3);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
