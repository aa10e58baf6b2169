#include "cli/commands/models/prediction_score.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

TEST(PredictionScoreTest, ClassesAreComparedWithTheMostFrequentAndTheLastOne) {
  PredictionScore score;
  EXPECT_FALSE(score.Scores());
  score.AddClass(0, 0);
  score.AddClass(1, 0);
  score.AddClass(1, 1);
  score.AddClass(0, 0);
  const auto scores = score.Scores();
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->measure, "accuracy");
  EXPECT_EQ(scores->num_labelled, 4);
  EXPECT_DOUBLE_EQ(scores->value, 0.75);
  EXPECT_DOUBLE_EQ(scores->constant, 0.75);
  EXPECT_DOUBLE_EQ(*scores->last, 1.0 / 3);
}

TEST(PredictionScoreTest, ValuesAreComparedWithTheMeanAndTheLastOne) {
  PredictionScore score;
  score.AddValue(1, 2);
  score.AddValue(4, 4);
  score.AddValue(6, 9);
  const auto scores = score.Scores();
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->measure, "rmse");
  EXPECT_DOUBLE_EQ(scores->value, std::sqrt(10.0 / 3));
  EXPECT_DOUBLE_EQ(scores->constant, std::sqrt((9.0 + 1 + 16) / 3));
  EXPECT_DOUBLE_EQ(*scores->last, std::sqrt((4.0 + 25) / 2));
}

TEST(PredictionScoreTest, ASingleRowHasNoLabelBefore) {
  PredictionScore score;
  score.AddValue(1, 2);
  EXPECT_EQ(score.Scores()->last, std::nullopt);
}

}  // namespace
}  // namespace tidemill::cli
