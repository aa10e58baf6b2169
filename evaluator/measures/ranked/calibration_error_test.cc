#include "evaluator/measures/ranked/calibration_error.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

// Four predictions with .6, two of which are right, one right one with 1 and a wrong one with .2.
const std::vector<float> kProbabilities = {.6F, .6F, .6F, .6F, 1, .2F};
const std::vector<int64_t> kTruth = {0, 0, 1, 1, 1, 1};
const std::vector<int64_t> kPredicted = {0, 0, 0, 0, 1, 0};
const Outcomes kOutcomes = {
    .predicted_classes = kPredicted, .true_classes = kTruth, .top_probabilities = kProbabilities};

TEST(CalibrationError, WeighsTheGapsOfBinsBySamples) {
  // |.6 - .5| x 4 + |1 - 1| + |.2 - 0|, of six samples.
  EXPECT_THAT(MeasureSpec(CalibrationError{.bins = 4})->ValueOf(kOutcomes),
              Optional(DoubleNear((.1 * 4 + .2) / 6, 1e-7)));
  // In one bin: |3.6 - 3| of six.
  EXPECT_THAT(MeasureSpec(CalibrationError{.bins = 1})->ValueOf(kOutcomes),
              Optional(DoubleNear(.1, 1e-7)));
}

TEST(CalibrationError, TellsTheReliabilityOfEachBin) {
  const auto accumulator = CalibrationError{.bins = 4}.NewAccumulator();
  accumulator->Add(kOutcomes);
  const auto detail = nlohmann::json::parse(accumulator->Detail({}));
  ASSERT_EQ(detail["bins"].size(), 4U);
  EXPECT_EQ(detail["bins"][2]["from"], 0.5);
  EXPECT_EQ(detail["bins"][2]["to"], 0.75);
  EXPECT_EQ(detail["bins"][2]["samples"], 4);
  EXPECT_EQ(detail["bins"][2]["accuracy"], 0.5);
  EXPECT_NEAR(detail["bins"][2]["confidence"].get<double>(), 0.6, 1e-7);
  EXPECT_TRUE(detail["bins"][1]["accuracy"].is_null());
  EXPECT_EQ(detail["bins"][3]["samples"], 1) << "the last bin is closed";
}

TEST(CalibrationError, IsUndefinedWithoutSamples) {
  EXPECT_EQ(MeasureSpec(CalibrationError{})->ValueOf({}), std::nullopt);
}

}  // namespace
}  // namespace tidemill::evaluator
