#include "supervisor/statistics/criteria.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;

const std::vector<double> kScores = {.1, .12, .11, .13, .2};

TEST(Criteria, FireAtTheirThreshold) {
  EXPECT_TRUE(JudgeByThreshold(0.2, 0.2, BadSide::kHigh).fired);
  EXPECT_FALSE(JudgeByThreshold(0.1, 0.2, BadSide::kHigh).fired);
  EXPECT_DOUBLE_EQ(JudgeByThreshold(0.1, 0.2, BadSide::kHigh).margin, -0.1);
  EXPECT_TRUE(JudgeByThreshold(0.1, 0.2, BadSide::kLow).fired);
  EXPECT_FALSE(JudgeByP(0.05, 0.05).fired);
  EXPECT_TRUE(JudgeByP(0.04, 0.05).fired);
}

TEST(Criteria, TakeThresholdsFromScores) {
  EXPECT_DOUBLE_EQ(*JudgeByQuantile(0, kScores, 0.05, BadSide::kHigh).threshold, 0.186);
  EXPECT_DOUBLE_EQ(*JudgeByQuantile(0, kScores, 0.05, BadSide::kLow).threshold, 0.102);
  EXPECT_DOUBLE_EQ(*JudgeByRollingAverage(0, kScores, 0.05, true, BadSide::kHigh).threshold,
                   0.1386);
  EXPECT_DOUBLE_EQ(*JudgeByRollingAverage(0, kScores, 0.05, false, BadSide::kLow).threshold, 0.082);
}

TEST(Criteria, FireWithoutScores) {
  EXPECT_TRUE(JudgeByQuantile(0, {}, 0.05, BadSide::kHigh).fired);
  EXPECT_TRUE(JudgeByRollingAverage(0, {}, 0.05, true, BadSide::kLow).fired);
  EXPECT_EQ(JudgeByQuantile(0, {}, 0.05, BadSide::kHigh).threshold, std::nullopt);
}

// Which of the scores fire, those before them being the history.
std::vector<bool> Fired(ScoreHistory history, const std::vector<double>& scores,
                        const std::function<Verdict(double, std::span<const double>)>& judge) {
  std::vector<bool> fired;
  for (const double score : scores) {
    fired.push_back(judge(score, history.scores).fired);
    history.Add(score);
  }
  return fired;
}

TEST(Criteria, JudgeAStreamOfScoresByThoseBefore) {
  const auto upper = [](double score, std::span<const double> scores) {
    return JudgeByQuantile(score, scores, 0.25, BadSide::kHigh);
  };
  EXPECT_THAT(Fired({4, {5, 11, 15, 10}}, {10, 11.1, 14.5}, upper),
              ElementsAre(false, false, true));
  const auto lower = [](double score, std::span<const double> scores) {
    return JudgeByQuantile(score, scores, 0.25, BadSide::kLow);
  };
  EXPECT_THAT(Fired({3, {.9, .7, .5}}, {.9, .61, .53, .59}, lower),
              ElementsAre(false, false, true, false));
  const auto rolling = [](double score, std::span<const double> scores) {
    return JudgeByRollingAverage(score, scores, 0.21, true, BadSide::kLow);
  };
  ScoreHistory history = {.most = 2};
  for (const double score : {1.0, .6, .3, .7}) history.Add(score);
  EXPECT_THAT(Fired(history, {.4, .43}, rolling), ElementsAre(false, true));
}

TEST(Criteria, SayWhatWouldHaveChangedTheVerdict) {
  for (const double score : {0.0, 0.13, 0.19, 0.3}) {
    for (const auto bad : {BadSide::kHigh, BadSide::kLow}) {
      const Verdict verdict = JudgeByQuantile(score, kScores, 0.05, bad);
      const double sign = bad == BadSide::kHigh ? 1 : -1;
      const double beyond =
          score - sign * (verdict.margin * (1 + 1e-9) + (verdict.fired ? 1e-12 : -1e-12));
      EXPECT_NE(JudgeByQuantile(beyond, kScores, 0.05, bad).fired, verdict.fired);
    }
  }
}

TEST(Criteria, KeepTheirHistorySealed) {
  const ScoreHistory history = {.most = 3, .scores = {0.1, 1.0 / 3, -0.0}};
  EXPECT_EQ(*RestoreState<ScoreHistory>(SealState(history)), history);
  EXPECT_FALSE(RestoreState<ScoreHistory>({{"most", 1}, {"scores", {1, 2}}}).ok());
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
