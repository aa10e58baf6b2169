#include "supervisor/statistics/two_samples/classifier_two_sample.h"

#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Normals;

TEST(ClassifierTest, JudgesHitsByChance) {
  const ClassifierTest seventy = JudgeHits(70, 100, 0.5);
  EXPECT_NEAR(seventy.p_value, 3.925069823e-05, 5e-15);
  EXPECT_DOUBLE_EQ(seventy.distance, 0.4);
  EXPECT_NEAR(JudgeHits(60, 100, 0.5).p_value, 0.0284439668, 5e-11);
  EXPECT_EQ(JudgeHits(40, 100, 0.5).distance, 0);
}

TEST(ClassifierTest, CannotTellWindowsOfOneDistribution) {
  const auto x = Normals(3000, 1), y = Normals(3000, 2);
  const ClassifierTest test = ClassifierTwoSampleTest({x, 3}, {y, 3}, {});
  EXPECT_EQ(test.trials, 1000);
  EXPECT_NEAR(test.roc_auc, 0.5, 0.05);
  EXPECT_GT(test.p_value, 0.05);
}

TEST(ClassifierTest, TellsWindowsThatDoNotOverlap) {
  const auto x = testing::Uniforms(200, 1);
  auto y = testing::Uniforms(200, 2);
  for (double& value : y) value += 2;
  const ClassifierTest test = ClassifierTwoSampleTest({x, 2}, {y, 2}, {});
  EXPECT_EQ(test.roc_auc, 1);
  EXPECT_EQ(test.distance, 1);
  EXPECT_LT(test.p_value, 1e-20);
}

TEST(ClassifierTest, SeesADriftThatNoColumnShowsAlone) {
  // x1 - x2 has moved, of two columns that vary ten times as much together.
  const auto both = Normals(4000, 5);
  std::vector<double> x, y;
  const auto apart = Normals(4000, 6);
  for (size_t i = 0; i < 4000; ++i) {
    auto& rows = i % 2 == 0 ? x : y;
    const double moved = apart[i] + (i % 2 == 0 ? 0 : 0.5);
    rows.push_back(10 * both[i] + moved);
    rows.push_back(10 * both[i] - moved);
  }
  EXPECT_LT(ClassifierTwoSampleTest({x, 2}, {y, 2}, {}).p_value, 1e-6);
}

TEST(ClassifierTest, SeesDriftInWindowsOfUnequalSize) {
  const auto x = Normals(1000, 1), y = Normals(100, 2, 0.7);
  const ClassifierTest test = ClassifierTwoSampleTest({x}, {y}, {});
  EXPECT_GT(test.p_value, 0.1);
  EXPECT_LT(test.rank_p_value, 0.01);
}

TEST(ClassifierTest, IsAPureFunctionOfItsSeed) {
  const auto x = Normals(500, 1), y = Normals(500, 2, 0.2);
  const ClassifierOptions options = {.seed = 4, .most_rows = 300};
  const ClassifierTest one = ClassifierTwoSampleTest({x}, {y}, options);
  const ClassifierTest two = ClassifierTwoSampleTest({x}, {y}, options);
  EXPECT_EQ(one.hits, two.hits);
  EXPECT_EQ(one.roc_auc, two.roc_auc);
  EXPECT_EQ(one.trials, 300);
}

TEST(ClassifierTest, BearsConstantColumnsAndFewRows) {
  const std::vector<double> same(40, 7.0), three = {1, 2, 3};
  const ClassifierTest test = ClassifierTwoSampleTest({same, 2}, {same, 2}, {});
  EXPECT_EQ(test.roc_auc, 0.5);
  EXPECT_GE(test.p_value, 0.5);
  EXPECT_EQ(ClassifierTwoSampleTest({three}, {same}, {}).p_value, 1);
}

TEST(ClassifierTest, RaisesNoMoreFalseAlarmsThanStated) {
  int64_t alarms = 0;
  std::vector<double> by_rank;
  for (int64_t seed = 0; seed < 1000; ++seed) {
    const auto x = Normals(120, 2 * seed), y = Normals(120, 2 * seed + 1);
    const ClassifierTest test = ClassifierTwoSampleTest({x, 2}, {y, 2}, {.seed = seed});
    alarms += test.p_value <= 0.1 ? 1 : 0;
    by_rank.push_back(test.rank_p_value);
  }
  // 100 on average at most, deviation 9.5; p is discrete, so they are fewer.
  EXPECT_LE(alarms, 125);
  EXPECT_GE(alarms, 30);
  EXPECT_GT(testing::UniformityP(by_rank), 1e-3);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
