#include "supervisor/statistics/forecasts/forecast.h"

#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(Forecast, AgreesWithScikitLearn) {
  const auto& index = Vectors().at("cost").at("ridge_index");
  const auto observed = Numbers(index.at("obs"));
  EXPECT_THAT(ForecastNext(observed, ForecastMethod::kRidge),
              IsNear(index.at("pred").get<double>()));
  std::vector<double> numbers(observed.size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  EXPECT_THAT(FitRidge(numbers, observed, 0.5).slope, IsNear(-0.2 / 10.5));
  // Least squares would continue along the line.
  EXPECT_THAT(FitRidge(numbers, observed, 0).At(5), IsNear(0.8));
}

TEST(Forecast, IsTheMeanOfFewValues) {
  const std::vector<double> four = {0.9, 0.8, 0.7, 0.6};
  EXPECT_DOUBLE_EQ(ForecastNext(four, ForecastMethod::kRidge), 0.75);
  const std::vector<double> six = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4};
  EXPECT_DOUBLE_EQ(ForecastNext(six, ForecastMethod::kRollingAverage), 0.65);
}

TEST(Forecast, KeepsSharesWithinTheirBounds) {
  const std::vector<double> falling = {0.8, 0.6, 0.4, 0.2, 0.0, 0.0};
  EXPECT_LT(ForecastNext(falling, ForecastMethod::kRidge), 0);
  EXPECT_EQ(ForecastNextShare(falling, ForecastMethod::kRidge), 0);
}

TEST(Forecast, IsAConstantThroughOnePlace) {
  const std::vector<double> x = {3, 3}, y = {1, 2};
  EXPECT_EQ(FitRidge(x, y, 1).slope, 0);
  EXPECT_DOUBLE_EQ(FitRidge(x, y, 1).At(100), 1.5);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
