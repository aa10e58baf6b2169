#include "evaluator/outcomes/curves.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/ranked/ranks.h"

namespace tidemill::evaluator {
namespace {

// Two classes; the probability of class 1 is what `said` makes of how likely it is.
struct TwoClasses {
  std::vector<int64_t> truth;
  std::vector<int64_t> predicted;
  std::vector<float> of_truth;
  std::vector<float> of_top;
  std::vector<int32_t> ranks;

  TwoClasses(size_t count, const auto& said) {
    std::vector<float> of_one;
    for (size_t i = 0; i < count; ++i) {
      const double likely = RandomUnit({.purpose = "likely"}, static_cast<int64_t>(i));
      const bool is_one = RandomUnit({.purpose = "one"}, static_cast<int64_t>(i)) < likely;
      const auto one = static_cast<float>(said(likely));
      truth.push_back(is_one ? 1 : 0);
      predicted.push_back(one >= 0.5F ? 1 : 0);
      of_truth.push_back(is_one ? one : 1 - one);
      of_top.push_back(std::max(one, 1 - one));
      of_one.push_back(one);
    }
    ranks = DenseRanks(of_one);
  }

  Outcomes outcomes() const {
    return {.predicted_classes = predicted,
            .true_classes = truth,
            .true_probabilities = of_truth,
            .top_probabilities = of_top,
            .ranks = ranks,
            .num_ranks = std::ssize(ranks)};
  }
};

TEST(Calibration, IsOnTheDiagonalWhereProbabilitiesAreWhatTheySay) {
  const TwoClasses honest(20'000, [](double likely) { return likely; });
  const auto calibration = CalibrationOf(honest.outcomes());
  ASSERT_TRUE(calibration.has_value());
  EXPECT_TRUE(calibration->is_of_class_one);
  EXPECT_EQ(calibration->bins.size(), 15);
  EXPECT_LT(calibration->error, 0.015);
  int64_t num_samples = 0;
  for (const CalibrationBin& bin : calibration->bins) {
    EXPECT_NEAR(static_cast<double>(bin.num_samples), 20'000 / 15.0, 2);
    EXPECT_NEAR(bin.share, bin.probability, 0.06);
    EXPECT_LE(bin.from, bin.probability);
    num_samples += bin.num_samples;
  }
  EXPECT_EQ(num_samples, 20'000);
}

TEST(Calibration, IsFarFromTheDiagonalWhereAModelIsTooSure) {
  const TwoClasses sure(20'000, [](double likely) { return likely < 0.5 ? 0.02 : 0.98; });
  const auto calibration = CalibrationOf(sure.outcomes());
  EXPECT_EQ(calibration->bins.size(), 2) << "equal probabilities share a bin";
  EXPECT_NEAR(calibration->error, 0.23, 0.02);
}

TEST(Calibration, IsOfThePredictedClassWhereThereAreMany) {
  TwoClasses many(300, [](double likely) { return likely; });
  many.truth[0] = 2;
  const auto calibration = CalibrationOf(many.outcomes());
  EXPECT_FALSE(calibration->is_of_class_one);
  EXPECT_GE(calibration->bins.front().from, 0.5);
  many.of_truth.clear();
  EXPECT_FALSE(CalibrationOf(many.outcomes()).has_value()) << "without probabilities";
}

TEST(RocCurve, RisesFromNoneToAll) {
  const TwoClasses honest(20'000, [](double likely) { return likely; });
  const auto curve = RocCurveOf(honest.outcomes());
  ASSERT_TRUE(curve.has_value());
  EXPECT_LE(curve->points.size(), 210);
  EXPECT_GT(curve->points.size(), 150);
  EXPECT_NEAR(curve->area, 5.0 / 6, 0.01) << "of such probabilities";
  EXPECT_EQ(curve->points.front().true_positives, 0);
  EXPECT_EQ(curve->points.back().true_positives, 1);
  EXPECT_EQ(curve->points.back().false_positives, 1);
  for (size_t i = 1; i < curve->points.size(); ++i) {
    EXPECT_LE(curve->points[i].threshold, curve->points[i - 1].threshold);
    EXPECT_GE(curve->points[i].true_positives, curve->points[i - 1].true_positives);
  }
}

TEST(RocCurve, NeedsBothClasses) {
  TwoClasses one(50, [](double likely) { return likely; });
  one.truth.assign(50, 1);
  EXPECT_FALSE(RocCurveOf(one.outcomes()).has_value());
  one.ranks.clear();
  EXPECT_FALSE(RocCurveOf(one.outcomes()).has_value()) << "the number of classes is unknown";
}

TEST(ValueGrid, CountsEachSampleOnce) {
  std::vector<float> truth, predicted;
  for (int i = 0; i < 5000; ++i) {
    truth.push_back(static_cast<float>(i % 100));
    predicted.push_back(truth.back() + 0.1F);
  }
  truth.push_back(1e9F);
  predicted.push_back(50);
  const auto grid = ValueGridOf({.predicted_values = predicted, .true_values = truth});
  ASSERT_TRUE(grid.has_value());
  int64_t num_samples = grid->num_beyond;
  for (const ValueGrid::Cell& cell : grid->cells) {
    EXPECT_LE(std::abs(cell.truth - cell.predicted), 1);
    num_samples += cell.num_samples;
  }
  EXPECT_EQ(num_samples, 5001);
  EXPECT_GE(grid->num_beyond, 1) << "the outlier does not stretch the axes";
  EXPECT_LT(grid->to, 200);
}

TEST(ValueGrid, IsAbsentWithoutValuesThatDiffer) {
  const std::vector<float> same(10, 3);
  EXPECT_FALSE(ValueGridOf({}).has_value());
  EXPECT_FALSE(ValueGridOf({.predicted_values = same, .true_values = same}).has_value());
}

}  // namespace
}  // namespace tidemill::evaluator
