#include "evaluator/measures/ranked/average_precision.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "evaluator/measures/testing/outcomes.h"

namespace tidemill::evaluator {
namespace {

using testing::Is;
using testing::Predicted;

TEST(AveragePrecision, IsThatOfScikitLearn) {
  const Predicted two(testing::kTwoTruth, testing::kTwoScores);
  EXPECT_THAT(AveragePrecision{}.ValueOf(two.outcomes()), Is(0.6976190476190476));
  Outcomes weighted = two.outcomes();
  weighted.weights = testing::kTwoWeights;
  EXPECT_THAT(AveragePrecision{}.ValueOf(weighted), Is(0.805952380952381));
  const Predicted three(testing::kThreeTruth, testing::kThreeScores, 3);
  EXPECT_THAT(AveragePrecision{}.ValueOf(three.outcomes()), Is(0.8277777777777778));
}

TEST(AveragePrecision, IsTheMeanOfThePrecisionsAtEachPositive) {
  // By falling score: 1, 0, 1, 0; precision 1 at the first positive and 2/3 at the second.
  const Predicted four({1, 0, 1, 0}, {.9F, .8F, .7F, .6F});
  EXPECT_THAT(AveragePrecision{}.ValueOf(four.outcomes()), Is((1 + 2.0 / 3) / 2));
}

TEST(AveragePrecision, IsUndefinedWithoutPositives) {
  EXPECT_EQ(AveragePrecision{}.ValueOf(Predicted({0, 0}, {.2F, .7F}).outcomes()), std::nullopt);
  EXPECT_THAT(AveragePrecision{}.ValueOf(Predicted({1, 1}, {.2F, .7F}).outcomes()), Is(1));
}

}  // namespace
}  // namespace tidemill::evaluator
