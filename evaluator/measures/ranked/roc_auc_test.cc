#include "evaluator/measures/ranked/roc_auc.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/testing/outcomes.h"

namespace tidemill::evaluator {
namespace {

using testing::Is;
using testing::Predicted;

TEST(RocAuc, IsThatOfScikitLearn) {
  const Predicted two(testing::kTwoTruth, testing::kTwoScores);
  EXPECT_THAT(RocAuc{}.ValueOf(two.outcomes()), Is(0.68));
  Outcomes weighted = two.outcomes();
  weighted.weights = testing::kTwoWeights;
  EXPECT_THAT(RocAuc{}.ValueOf(weighted), Is(0.671875));
  const Predicted three(testing::kThreeTruth, testing::kThreeScores, 3);
  EXPECT_THAT(RocAuc{}.ValueOf(three.outcomes()), Is(0.888888888888889));
}

TEST(RocAuc, IsTheShareOfPairsInOrderWithTiesHalf) {
  std::vector<int64_t> truth;
  std::vector<float> scores;
  for (int64_t i = 0; i < 200; ++i) {
    truth.push_back(static_cast<int64_t>(RandomBits({.purpose = "truth"}, i) % 2));
    scores.push_back(static_cast<float>(RandomBits({.purpose = "score"}, i) % 20) / 20);
  }
  double in_order = 0;
  double pairs = 0;
  for (size_t a = 0; a < truth.size(); ++a) {
    for (size_t b = 0; b < truth.size(); ++b) {
      if (truth[a] != 1 || truth[b] != 0) continue;
      pairs += 1;
      in_order += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
    }
  }
  EXPECT_THAT(RocAuc{}.ValueOf(Predicted(truth, scores).outcomes()), Is(in_order / pairs));
}

TEST(RocAuc, LeavesOutClassesThatNoSampleOrEverySampleHas) {
  EXPECT_EQ(RocAuc{}.ValueOf(Predicted({1, 1}, {.2F, .7F}).outcomes()), std::nullopt);
  EXPECT_EQ(RocAuc{}.ValueOf(Predicted({}, {}).outcomes()), std::nullopt);
  // Class 2 does not occur; classes 0 and 1 are separated perfectly.
  const Predicted two_of_three({0, 1}, {.6F, .3F, .1F, .2F, .7F, .1F}, 3);
  EXPECT_THAT(RocAuc{}.ValueOf(two_of_three.outcomes()), Is(1));
}

}  // namespace
}  // namespace tidemill::evaluator
