#include "evaluator/measures/ranked/log_loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

std::optional<double> LossOf(const std::vector<float>& true_probabilities,
                             const std::vector<uint8_t>& weights = {}) {
  return MeasureSpec(LogLoss{})->ValueOf(
      {.true_probabilities = true_probabilities, .weights = weights});
}

TEST(LogLoss, IsThatOfScikitLearn) {
  // What kThreeScores gives to the true classes.
  const std::vector<float> given = {.7F, .4F, .6F, .3F, .5F, .4F, .3F, .6F};
  EXPECT_THAT(LossOf(given), Optional(DoubleNear(0.7890000555538552, 1e-7)));
  EXPECT_THAT(LossOf(given, {1, 0, 2, 1, 3, 1, 0, 2}),
              Optional(DoubleNear(0.6599682516882622, 1e-7)));
}

TEST(LogLoss, OfAnImpossibleClassIsBounded) {
  EXPECT_THAT(LossOf({0, 1}), Optional(DoubleNear(23 * std::log(2) / 2, 1e-9)));
}

TEST(LogLoss, IsUndefinedWithoutSamplesAndForNoNumbers) {
  EXPECT_EQ(LossOf({}), std::nullopt);
  EXPECT_EQ(LossOf({std::numeric_limits<float>::quiet_NaN()}), std::nullopt);
}

}  // namespace
}  // namespace tidemill::evaluator
