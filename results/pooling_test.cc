#include "results/pooling.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/precision.h"
#include "evaluator/measures/classes/recall.h"
#include "evaluator/measures/measures.h"
#include "evaluator/measures/numbers/error_measures.h"

namespace tidemill::results {
namespace {

using evaluator::Accuracy;
using evaluator::ClassAverage;
using evaluator::F1;
using evaluator::MeanAbsoluteError;
using evaluator::MeasureSpec;
using evaluator::Outcomes;
using evaluator::Precision;
using evaluator::Recall;
using evaluator::RootMeanSquaredError;
using evaluator::RSquared;

using ::testing::DoubleNear;

Row RowOf(std::optional<double> value, int64_t num_samples, const std::string& sums = "") {
  Row row;
  if (value) row.set_value(*value);
  row.set_num_samples(num_samples);
  row.set_sums(sums);
  return row;
}

Row IntervalOf(double value, double low, double high) {
  Row row = RowOf(value, 100);
  row.set_low(low);
  row.set_high(high);
  return row;
}

Rows All(const std::vector<Row>& rows) {
  return Select(rows, [](const Row&) { return true; });
}

// Made-up outcomes of 300 samples, in windows of unequal length, one of them a single sample.
class Windows {
 public:
  Windows() {
    for (int64_t i = 0; i < 300; ++i) {
      const auto unit = [&](std::string_view purpose) {
        return static_cast<float>(RandomUnit({.purpose = purpose}, i));
      };
      truth_.push_back(static_cast<int64_t>(unit("truth") * 3));
      classes_.push_back(unit("luck") < 0.6F ? truth_.back() : i % 3);
      true_values_.push_back(1e4F + 10 * unit("value") + static_cast<float>(i) / 30);
      values_.push_back(true_values_.back() + unit("error") - 0.3F);
    }
  }

  Outcomes Part(size_t from, size_t to) const {
    const auto cut = [&](const auto& all) { return std::span(all).subspan(from, to - from); };
    return {.predicted_classes = cut(classes_),
            .true_classes = cut(truth_),
            .predicted_values = cut(values_),
            .true_values = cut(true_values_)};
  }

  // One row for each window.
  std::vector<Row> Measured(const MeasureSpec& measure) const {
    std::vector<Row> windows;
    for (size_t i = 0; i + 1 < kCuts.size(); ++i) {
      const auto accumulator = measure->NewAccumulator();
      accumulator->Add(Part(kCuts[i], kCuts[i + 1]));
      windows.push_back(RowOf(accumulator->Value(), static_cast<int64_t>(kCuts[i + 1] - kCuts[i]),
                              accumulator->Sums()));
    }
    return windows;
  }

 private:
  static constexpr std::array<size_t, 5> kCuts = {0, 1, 90, 200, 300};

  std::vector<int64_t> truth_, classes_;
  std::vector<float> true_values_, values_;
};

TEST(Pool, GivesWhatAllSamplesAtOnceGive) {
  const Windows samples;
  const std::vector<MeasureSpec> measures = {Accuracy{},
                                             F1{},
                                             F1{{.average = ClassAverage::kWeighted}},
                                             F1{{.average = ClassAverage::kMicro}},
                                             Precision{},
                                             Recall{},
                                             MeanAbsoluteError{},
                                             RootMeanSquaredError{},
                                             RSquared{}};
  for (const MeasureSpec& measure : measures) {
    const std::vector<Row> windows = samples.Measured(measure);
    const auto pooled = Pool(measure->Name(), All(windows));
    ASSERT_TRUE(pooled) << measure->Name();
    EXPECT_THAT(pooled->value, DoubleNear(*measure->ValueOf(samples.Part(0, 300)), 1e-9))
        << measure->Name();
    EXPECT_EQ(pooled->num_samples, 300) << measure->Name();
    EXPECT_NE(pooled->how, Pooling::kMeanOverWindows) << measure->Name();
  }
}

TEST(Pool, IsNotTheMeanOfRoots) {
  const std::vector<Row> windows = {RowOf(3, 1), RowOf(4, 1)};
  EXPECT_DOUBLE_EQ(Pool("rmse", All(windows))->value, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(Pool("mae", All(windows))->value, 3.5);
}

TEST(Pool, TakesANameThatNobodyKnowsForAMeanOverSamples) {
  const std::vector<Row> windows = {RowOf(3, 1), RowOf(4, 3)};
  EXPECT_DOUBLE_EQ(Pool("surprise", All(windows))->value, 3.75);
  EXPECT_EQ(Pool("surprise", All(windows))->how, Pooling::kMeanOfSamples);
}

TEST(Pool, SaysWhereItIsAMeanOverWindows) {
  const std::vector<Row> windows = {RowOf(0.5, 10), RowOf(std::nullopt, 5), RowOf(0.8, 20)};
  for (const char* measure : {"roc_auc", "f1_macro", "r2", "calibration_error"}) {
    const auto pooled = Pool(measure, All(windows));
    EXPECT_EQ(pooled->how, Pooling::kMeanOverWindows) << measure;
    EXPECT_DOUBLE_EQ(pooled->value, 0.7) << measure;
    EXPECT_EQ(pooled->num_samples, 30) << measure;
  }
  EXPECT_EQ(Pool("roc_auc", Rows{&windows[0]})->how, Pooling::kMeanOfSamples);
}

TEST(Pool, OfSumsThatOnlyAPluginUnderstandsIsNothing) {
  const std::string sums = R"({"samples":10,"sums":[3,4]})";
  const std::vector<Row> windows = {RowOf(0.5, 10, sums), RowOf(0.8, 10, sums)};
  EXPECT_FALSE(Pool("savings", All(windows)));
  EXPECT_DOUBLE_EQ(Pool("savings", Rows{&windows[0]})->value, 0.5);
}

TEST(Pool, OfNothingIsNothing) {
  EXPECT_FALSE(Pool("rmse", {}));
  const std::vector<Row> undefined = {RowOf(std::nullopt, 3)};
  EXPECT_FALSE(Pool("r2", All(undefined)));
}

TEST(Sums, ThatAreNoneAreRefused) {
  for (const char* text : {"", "{}", "[1,2,3]", "[[1,2]]", "[1,2,\"a\",4]"}) {
    EXPECT_FALSE(RSquared{}.NewAccumulator()->AddSums(text)) << text;
    EXPECT_FALSE(F1{}.NewAccumulator()->AddSums(std::string(text) + "x")) << text;
  }
}

// Half as wide as each of four windows, around the value of all samples.
TEST(PooledInterval, OfAValueOfSumsIsThatOfTheMeanOfItsWindows) {
  const std::vector<Row> alike(4, IntervalOf(0.7, 0.6, 0.8));
  const PooledValue pooled{.value = 0.71, .num_samples = 400, .how = Pooling::kOfSums};
  const auto interval = PooledInterval(pooled, All(alike));
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->first, 0.66, 1e-12);
  EXPECT_NEAR(interval->second, 0.76, 1e-12);
}

TEST(PooledInterval, OfAValueOfSumsIsAbsentWhereWindowsDoNotResembleEachOther) {
  const std::vector<Row> apart = {IntervalOf(0.9, 0.88, 0.92), IntervalOf(0.2, 0.18, 0.22)};
  const PooledValue pooled{.value = 0.7, .num_samples = 200, .how = Pooling::kOfSums};
  EXPECT_FALSE(PooledInterval(pooled, All(apart)).has_value());
}

}  // namespace
}  // namespace tidemill::results
