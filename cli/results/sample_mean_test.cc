#include "cli/results/sample_mean.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/results/matrix.h"
#include "cli/results/run_json.h"
#include "cli/results/slices_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

supervisor::v1::CompositeValue ValueOn(int64_t from, int64_t to, double value, int64_t samples) {
  supervisor::v1::CompositeValue composite;
  composite.mutable_from()->set_event_time(from);
  composite.mutable_to()->set_event_time(to);
  composite.set_value(value);
  composite.set_num_samples(samples);
  composite.set_low(value - 0.02);
  composite.set_high(value + 0.04);
  return composite;
}

TEST(SampleMean, WeighsWindowsByTheirSamples) {
  SampleMean mean;
  EXPECT_EQ(mean.ToString(), "-");
  mean.Add(ValueOn(0, 10, 0.5, 100));
  mean.Add(ValueOn(10, 20, 0.8, 300));
  mean.Add(supervisor::v1::CompositeValue());
  EXPECT_DOUBLE_EQ(*mean.Mean(), 0.725);
  EXPECT_EQ(mean.num_samples(), 400);
}

// The variances of independent means add up: weights 1/4 and 3/4.
TEST(SampleMean, AddsTheSquaresOfTheDistancesOfBounds) {
  SampleMean mean;
  mean.Add(ValueOn(0, 10, 0.5, 100));
  mean.Add(ValueOn(10, 20, 0.8, 300));
  const double weights = std::sqrt(1.0 / 16 + 9.0 / 16);
  ASSERT_TRUE(mean.Interval().has_value());
  EXPECT_NEAR(mean.Interval()->first, 0.725 - 0.02 * weights, 1e-12);
  EXPECT_NEAR(mean.Interval()->second, 0.725 + 0.04 * weights, 1e-12);
  EXPECT_EQ(mean.ToString(), "0.7250 [0.7092, 0.7566]");
}

TEST(SampleMean, HasNoIntervalOfOverlappingWindowsOrWithoutOneEach) {
  SampleMean overlapping;
  overlapping.Add(ValueOn(5, 20, 0.8, 100));
  overlapping.Add(ValueOn(0, 10, 0.5, 100));
  EXPECT_EQ(overlapping.ToString(), "0.6500");
  SampleMean incomplete;
  incomplete.Add(ValueOn(0, 10, 0.5, 100));
  auto without = ValueOn(10, 20, 0.8, 100);
  without.clear_low();
  incomplete.Add(without);
  EXPECT_FALSE(incomplete.Interval().has_value());
}

// Trigger 1 was active in the second of two windows.
supervisor::v1::GetRunResponse RunWithSlices() {
  supervisor::v1::GetRunResponse run;
  const auto add = [&](int64_t trigger, int64_t from, const char* slice, double value) {
    supervisor::v1::EvaluationValue& added = *run.add_evaluations();
    added.set_trigger(trigger);
    added.set_dataset("elec2");
    added.mutable_from()->set_event_time(from);
    added.mutable_to()->set_event_time(from + 10);
    added.set_measure("accuracy");
    added.set_slice(slice);
    added.set_value(value);
    added.set_num_samples(*slice == 0 ? 100 : 50);
  };
  for (const int64_t trigger : {1, 2}) {
    for (const int64_t from : {0, 10}) {
      const double value = 0.1 * static_cast<double>(trigger) + 0.01 * static_cast<double>(from);
      add(trigger, from, "", value);
      add(trigger, from, "class=UP", value + 0.05);
    }
  }
  supervisor::v1::EvaluationValue& matrix = *run.add_evaluations();
  matrix = run.evaluations(0);
  matrix.set_measure("confusion_matrix");
  matrix.clear_value();
  matrix.set_detail(R"({"classes":["A"],"counts":[[3]]})");
  auto& active = *run.add_active();
  active = ValueOn(10, 20, 0.2, 100);
  active.set_trigger(1);
  active.set_measure("accuracy");
  active.set_dataset("elec2");
  return run;
}

TEST(Slices, AreShownApartFromTheMatrix) {
  const std::string matrix = DrawMatrices(RunWithSlices(), View());
  EXPECT_THAT(matrix, HasSubstr(" 10.0  20.0*\n"));
  EXPECT_THAT(matrix, HasSubstr("0.2000 [0.1800, 0.2400] per sample, over 100 samples"));
  EXPECT_THAT(matrix, Not(HasSubstr("confusion_matrix")));
  const std::string slices = DrawSlices(RunWithSlices());
  EXPECT_THAT(slices, HasSubstr("slices of elec2"));
  EXPECT_THAT(slices, ::testing::ContainsRegex("accuracy +class=UP +50 +0.2500"));
}

TEST(Slices, OfAWholeDatasetAreThoseOfTheLastModel) {
  auto run = RunWithSlices();
  run.clear_active();
  EXPECT_THAT(DrawSlices(run), ::testing::ContainsRegex("accuracy +class=UP +100 +0.3000"));
  EXPECT_EQ(DrawSlices({}), "");
}

TEST(Slices, AndIntervalsAndDetailsAreInTheJson) {
  const auto json = RunToJson(RunWithSlices());
  EXPECT_FALSE(json["evaluations"][0].contains("slice"));
  EXPECT_EQ(json["evaluations"][1]["slice"], "class=UP");
  EXPECT_EQ(json["evaluations"][8]["detail"]["counts"][0][0], 3);
  EXPECT_DOUBLE_EQ(json["composite"]["active"][0]["high"].get<double>(), 0.24);
}

}  // namespace
}  // namespace tidemill::cli
