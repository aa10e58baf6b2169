#include "results/sample_mean.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tidemill::results {
namespace {

Row ValueOn(int64_t from, int64_t to, double value, int64_t samples) {
  Row row;
  row.mutable_from()->set_event_time(from);
  row.mutable_to()->set_event_time(to);
  row.set_value(value);
  row.set_num_samples(samples);
  row.set_low(value - 0.02);
  row.set_high(value + 0.04);
  return row;
}

TEST(SampleMean, WeighsWindowsByTheirSamples) {
  SampleMean mean;
  EXPECT_EQ(mean.ToString(), "-");
  const Row rows[] = {ValueOn(0, 10, 0.5, 100), ValueOn(10, 20, 0.8, 300), Row()};
  for (const Row& row : rows) mean.Add(row);
  EXPECT_DOUBLE_EQ(*mean.Mean(), 0.725);
  EXPECT_EQ(mean.num_samples(), 400);
}

// The variances of independent means add up: weights 1/4 and 3/4.
TEST(SampleMean, AddsTheSquaresOfTheDistancesOfBounds) {
  const Row rows[] = {ValueOn(0, 10, 0.5, 100), ValueOn(10, 20, 0.8, 300)};
  const SampleMean mean({&rows[0], &rows[1]}, nullptr);
  const double weights = std::sqrt(1.0 / 16 + 9.0 / 16);
  ASSERT_TRUE(mean.Interval().has_value());
  EXPECT_NEAR(mean.Interval()->first, 0.725 - 0.02 * weights, 1e-12);
  EXPECT_NEAR(mean.Interval()->second, 0.725 + 0.04 * weights, 1e-12);
  EXPECT_EQ(mean.ToString(), "0.7250 [0.7092, 0.7566]");
}

TEST(SampleMean, HasNoIntervalOfOverlappingWindowsOrWithoutOneEach) {
  const Row late = ValueOn(5, 20, 0.8, 100);
  const Row early = ValueOn(0, 10, 0.5, 100);
  const SampleMean overlapping({&late, &early}, nullptr);
  EXPECT_EQ(overlapping.ToString(), "0.6500");
  Row without = ValueOn(10, 20, 0.8, 100);
  without.clear_low();
  const SampleMean incomplete({&early, &without}, nullptr);
  EXPECT_FALSE(incomplete.Interval().has_value());
}

}  // namespace
}  // namespace tidemill::results
