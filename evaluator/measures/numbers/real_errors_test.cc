#include "evaluator/measures/numbers/real_errors.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "evaluator/measures/measures.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/testing/outcomes.h"

namespace tidemill::evaluator {
namespace {

using testing::Is;

std::optional<double> Of(const MeasureSpec& measure, const std::vector<float>& truth,
                         const std::vector<float>& predicted,
                         const std::vector<uint8_t>& weights = {}) {
  return measure->ValueOf(
      {.predicted_values = predicted, .true_values = truth, .weights = weights});
}

TEST(Errors, AreMeansOverSamples) {
  EXPECT_THAT(Of(MeanAbsoluteError{}, {1, 2, 3}, {1, 4, 0}), Is(5.0 / 3));
  EXPECT_THAT(Of(RootMeanSquaredError{}, {1, 2, 3}, {1, 4, 0}), Is(std::sqrt(13.0 / 3)));
  EXPECT_THAT(Of(MeanAbsoluteError{}, {1, 2, 3}, {1, 4, 0}, {4, 0, 1}), Is(3.0 / 5));
}

// The example of scikit-learn's documentation of r2_score, and its value with weights.
TEST(RSquared, IsThatOfScikitLearn) {
  EXPECT_THAT(Of(RSquared{}, {3, -0.5, 2, 7}, {2.5, 0, 2, 8}), Is(0.9486081370449679));
  EXPECT_THAT(Of(RSquared{}, {3, -0.5, 2, 7}, {2.5, 0, 2, 8}, {2, 0, 1, 3}),
              Is(0.8786127167630058));
}

TEST(RSquared, KeepsItsDigitsFarFromZero) {
  EXPECT_THAT(Of(RSquared{}, {1e7, 1e7 + 1, 1e7 + 2}, {1e7, 1e7 + 1, 1e7 + 1}), Is(0.5));
}

TEST(RSquared, OfAConstantTargetIsUndefined) {
  EXPECT_EQ(Of(RSquared{}, {3.3F, 3.3F, 3.3F}, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(Of(RSquared{}, {1, 3.3F, 3.3F}, {1, 2, 3}, {0, 5, 2}), std::nullopt);
  EXPECT_EQ(Of(RSquared{}, {1}, {1}), std::nullopt);
}

TEST(Errors, OfNonNumbersAreUndefined) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const MeasureSpec& measure :
       {MeasureSpec(MeanAbsoluteError{}), MeasureSpec(RootMeanSquaredError{}),
        MeasureSpec(RSquared{})}) {
    EXPECT_EQ(Of(measure, {1, 2}, {1, nan}), std::nullopt) << measure->Name();
  }
}

}  // namespace
}  // namespace tidemill::evaluator
