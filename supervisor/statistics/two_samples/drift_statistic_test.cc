#include "supervisor/statistics/two_samples/drift_statistic.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/poisson_band.h"
#include "supervisor/statistics/testing/vectors.h"
#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::HasSubstr;
using testing::Normals;
using ::tidemill::testing::StatusIs;

DriftStatistic StatisticOf(const std::string& text) {
  return config::Read<DriftStatistic>(text, "statistic.yaml").value();
}

// Every statistic, with a p-value.
const std::vector<std::string> kStatistics = {
    "{type: mmd, permutations: 99}",
    "{type: mmd, estimator: linear}",
    "{type: ks, correction: bonferroni}",
    "{type: ks, correction: fdr}",
    "{type: cvm, correction: fdr}",
    "{type: wasserstein, permutations: 99}",
    "{type: energy, permutations: 99}",
    "{type: binned, divergence: jensen_shannon, permutations: 99}",
    "{type: binned, divergence: hellinger, permutations: 99}",
    "{type: binned, divergence: psi, permutations: 99}",
    "{type: classifier}"};

TEST(DriftStatistic, SeesADriftOfOneColumnInThree) {
  const auto x = Normals(1800, 1);
  auto y = Normals(1800, 2);
  for (size_t i = 1; i < y.size(); i += 3) y[i] += 1;
  for (const std::string& text : kStatistics) {
    const auto drift = CompareWindows(StatisticOf(text), {x, 3}, {y, 3}, 0);
    ASSERT_TRUE(drift.ok()) << drift.status();
    EXPECT_LE(*drift->p_value, 0.01) << text;
    const auto none = CompareWindows(StatisticOf(text), {x, 3}, {x, 3}, 0);
    EXPECT_LT(none->score, drift->score) << text;
    if (drift->columns.empty()) continue;
    EXPECT_EQ(drift->score, drift->columns[1]) << text;
    EXPECT_GT(drift->columns[1], 2 * std::max(drift->columns[0], drift->columns[2])) << text;
  }
}

TEST(DriftStatistic, RaisesNoMoreFalseAlarmsThanItsPSays) {
  for (const std::string& text : kStatistics) {
    const DriftStatistic spec = StatisticOf(text);
    int64_t alarms = 0;
    for (int64_t seed = 0; seed < 200; ++seed) {
      const auto x = Normals(80, 2 * seed), y = Normals(120, 2 * seed + 1);
      alarms += *CompareWindows(spec, {x, 2}, {y, 2}, seed)->p_value <= 0.1 ? 1 : 0;
    }
    // 20 on average at most, deviation 4.2.
    EXPECT_LE(alarms, 34) << text;
    EXPECT_GE(alarms, 5) << text;
  }
}

TEST(DriftStatistic, HasUniformPWithoutDrift) {
  for (const std::string text :
       {"{type: wasserstein, permutations: 99}", "{type: energy, permutations: 99}",
        "{type: mmd, permutations: 99}"}) {
    std::vector<double> p_values;
    for (int64_t seed = 0; seed < 500; ++seed) {
      const auto x = Normals(40, 2 * seed), y = Normals(40, 2 * seed + 1);
      p_values.push_back(*CompareWindows(StatisticOf(text), {x, 2}, {y, 2}, seed)->p_value);
    }
    EXPECT_GT(testing::UniformityP(p_values), 1e-3) << text;
  }
}

TEST(DriftStatistic, IsAPureFunction) {
  const auto x = Normals(300, 1), y = Normals(300, 2, 0.1);
  for (const std::string& text : kStatistics) {
    EXPECT_EQ(*CompareWindows(StatisticOf(text), {x, 3}, {y, 3}, 5),
              *CompareWindows(StatisticOf(text), {x, 3}, {y, 3}, 5));
    EXPECT_EQ(ScoreOf(StatisticOf(text), 5)({x, 3}, {y, 3}),
              CompareWindows(StatisticOf(text), {x, 3}, {y, 3}, 5)->score);
  }
}

TEST(DriftStatistic, TakesTheColumnThatDriftedMostNotTheMean) {
  // 49 columns that do not drift hide nothing.
  const auto x = Normals(50 * 200, 1);
  auto y = Normals(50 * 200, 2);
  for (size_t i = 0; i < y.size(); i += 50) y[i] += 2;
  const auto score = CompareWindows(KsStatistic{}, {x, 50}, {y, 50}, 0);
  const KolmogorovSmirnov first = KolmogorovSmirnovTest(ColumnOf({x, 50}, 0), ColumnOf({y, 50}, 0));
  EXPECT_EQ(score->score, first.distance);
  EXPECT_DOUBLE_EQ(*score->p_value, 50 * first.p_value);
}

TEST(DriftStatistic, TakesLabelsAsClasses) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i < 50 ? 0 : 1);
    y.push_back(i < 25 ? 0 : 1);
  }
  const auto score = CompareWindows(StatisticOf("{type: binned, divergence: psi}"), {x}, {y}, 0);
  EXPECT_THAT(score->score, testing::IsNear(0.25 * std::log(2) + 0.25 * std::log(1.5)));
  EXPECT_EQ(score->p_value, std::nullopt);
}

TEST(DriftStatistic, RefusesWindowsThatItCannotCompare) {
  const std::vector<double> one = {1}, two = {1, 2},
                            bad = {1, std::numeric_limits<double>::infinity()};
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  for (const std::string& text : kStatistics) {
    EXPECT_THAT(CompareWindows(StatisticOf(text), {one}, {two}, 0),
                StatusIs(kInvalid, HasSubstr("1 and 2 rows")));
    EXPECT_THAT(CompareWindows(StatisticOf(text), {two}, {bad}, 0),
                StatusIs(kInvalid, HasSubstr("row 1")));
    EXPECT_TRUE(CompareWindows(StatisticOf(text), {two}, {two}, 0).ok());
  }
}

// What one column lacks says nothing of the others.
TEST(DriftStatistic, ComparesEachColumnByTheRowsThatHaveIt) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto x = Normals(2 * 250, 1);
  auto y = Normals(2 * 250, 2);
  for (size_t row = 0; row < 250; ++row) {
    if (row % 10 != 0) y[2 * row] = kNone;
    y[2 * row + 1] += 3;
  }
  for (const std::string& text : kStatistics) {
    const DriftStatistic statistic = StatisticOf(text);
    const auto score = CompareWindows(statistic, {x, 2}, {y, 2}, 0);
    if (!IsByColumn(statistic)) {
      EXPECT_THAT(score, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("250 and 25 rows")))
          << text;
      continue;
    }
    ASSERT_TRUE(score.ok()) << text << score.status();
    EXPECT_TRUE(std::isnan(score->columns[0])) << text;
    const auto alone = CompareWindows(statistic, {ColumnOf({x, 2}, 1)}, {ColumnOf({y, 2}, 1)}, 0);
    EXPECT_EQ(score->score, alone->score) << text;
    EXPECT_EQ(score->p_value, alone->p_value) << text;
  }
}

TEST(DriftStatistic, ComparesNoWindowOfWhichTooLittleIsKnown) {
  EXPECT_EQ(LeastToCompare(2), 2);
  EXPECT_EQ(LeastToCompare(29), 29);
  EXPECT_EQ(LeastToCompare(250), 30);
  EXPECT_EQ(LeastToCompare(2001), 201);
  const auto x = Normals(40, 1), y = Normals(25, 2);
  EXPECT_TRUE(CompareWindows(KsStatistic{}, {x}, {y}, 0).ok());
  EXPECT_THAT(CompareWindows(KsStatistic{}, {x}, {y}, 0, {.current_samples = 250}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("40 and 25 rows")));
}

TEST(DriftStatistic, GivesNoScoreAfterAStop) {
  const auto x = Normals(900, 1), y = Normals(900, 2);
  std::stop_source stop;
  stop.request_stop();
  for (const std::string& text : kStatistics) {
    EXPECT_THAT(CompareWindows(StatisticOf(text), {x, 3}, {y, 3}, 0, {.stop = stop.get_token()}),
                StatusIs(absl::StatusCode::kCancelled, HasSubstr("no longer needed")))
        << text;
    EXPECT_THAT(ScoresWithoutDrift(StatisticOf(text), {x, 3},
                                   {.reference_rows = 50,
                                    .current_rows = 50,
                                    .count = 1'000'000,
                                    .stop = stop.get_token()},
                                   0),
                StatusIs(absl::StatusCode::kCancelled, HasSubstr("no longer needed")))
        << text;
  }
}

TEST(DriftStatistic, CalibratesToAStatedRate) {
  const auto history = Normals(1200, 9), fresh = Normals(120 * 500, 10);
  const std::span<const double> values = fresh;
  for (const std::string text : {"{type: mmd}", "{type: classifier}", "{type: binned}"}) {
    const TwoSampleStatistic statistic = ScoreOf(StatisticOf(text), 3);
    const auto scores = *ScoresWithoutDrift(StatisticOf(text), {history, 2}, {30, 30, 4000, 1}, 3);
    const double threshold = *ThresholdAt(scores, 0.1, BadSide::kHigh);
    int64_t alarms = 0;
    for (size_t at = 0; at < values.size(); at += 120) {
      const Rows x = {values.subspan(at, 60), 2}, y = {values.subspan(at + 60, 60), 2};
      alarms += JudgeByThreshold(statistic(x, y), threshold, BadSide::kHigh).fired ? 1 : 0;
    }
    const testing::PoissonBand band = testing::PoissonBandOf(50);
    EXPECT_LE(alarms, band.high) << text;
    // Scores of a classifier and of bins tie, so they may come to fewer.
    EXPECT_GE(alarms, text == "{type: mmd}" ? band.low : 10) << text;
  }
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
