#include "cli/commands/models/prediction_score.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

TEST(PredictionScoreTest, ClassesAreComparedWithTheMostFrequentAndTheLastOne) {
  PredictionScore score;
  EXPECT_FALSE(score.Scores());
  score.AddClass(0, 0, 1);
  score.AddClass(1, 0, 2);
  score.AddClass(1, 1, 3);
  score.AddClass(0, 0, 4);
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
  score.AddValue(1, 2, 1);
  score.AddValue(4, 4, 2);
  score.AddValue(6, 9, 3);
  const auto scores = score.Scores();
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->measure, "rmse");
  EXPECT_DOUBLE_EQ(scores->value, std::sqrt(10.0 / 3));
  EXPECT_DOUBLE_EQ(scores->constant, std::sqrt((9.0 + 1 + 16) / 3));
  EXPECT_DOUBLE_EQ(*scores->last, std::sqrt((4.0 + 25) / 2));
}

// A row's label is that of two rows later: at its time the label of two rows before is known.
TEST(PredictionScoreTest, ALabelIsKnownOnceItsDelayHasPassed) {
  PredictionScore values(Duration{2});
  PredictionScore classes(Duration{2});
  const int64_t labels[] = {1, 4, 9, 4, 25};
  for (int64_t row = 0; row < 5; ++row) {
    values.AddValue(0, static_cast<double>(labels[row]), 10 + row);
    classes.AddClass(0, labels[row], 10 + row);
  }
  EXPECT_DOUBLE_EQ(*values.Scores()->last, std::sqrt((64.0 + 0 + 256) / 3));
  EXPECT_DOUBLE_EQ(*classes.Scores()->last, 1.0 / 3);
}

TEST(PredictionScoreTest, RowsOfOneMomentDoNotKnowTheLabelsOfEachOther) {
  PredictionScore score;
  score.AddValue(0, 1, 10);
  score.AddValue(0, 5, 10);
  EXPECT_EQ(score.Scores()->last, std::nullopt);
  score.AddValue(0, 8, 11);
  EXPECT_DOUBLE_EQ(*score.Scores()->last, 3);
}

TEST(PredictionScoreTest, ASingleRowHasNoLabelBefore) {
  PredictionScore score;
  score.AddValue(1, 2, 0);
  EXPECT_EQ(score.Scores()->last, std::nullopt);
}

}  // namespace
}  // namespace tidemill::cli
