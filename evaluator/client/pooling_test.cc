#include "evaluator/client/pooling.h"

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

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;

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

  // One value for each window; the texts that `sums` refers to live in `texts`.
  std::vector<WindowValue> Measured(const MeasureSpec& measure, std::vector<std::string>& texts) {
    std::vector<WindowValue> windows;
    texts.reserve(kCuts.size());
    for (size_t i = 0; i + 1 < kCuts.size(); ++i) {
      const auto accumulator = measure->NewAccumulator();
      accumulator->Add(Part(kCuts[i], kCuts[i + 1]));
      texts.push_back(accumulator->Sums());
      windows.push_back({.value = accumulator->Value(),
                         .num_samples = static_cast<int64_t>(kCuts[i + 1] - kCuts[i]),
                         .sums = texts.back()});
    }
    return windows;
  }

 private:
  static constexpr std::array<size_t, 5> kCuts = {0, 1, 90, 200, 300};

  std::vector<int64_t> truth_, classes_;
  std::vector<float> true_values_, values_;
};

TEST(Pool, GivesWhatAllSamplesAtOnceGive) {
  Windows samples;
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
    std::vector<std::string> texts;
    const auto pooled = Pool(measure->Name(), samples.Measured(measure, texts));
    ASSERT_TRUE(pooled) << measure->Name();
    EXPECT_THAT(pooled->value, DoubleNear(*measure->ValueOf(samples.Part(0, 300)), 1e-9))
        << measure->Name();
    EXPECT_EQ(pooled->num_samples, 300) << measure->Name();
    EXPECT_NE(pooled->how, Pooling::kMeanOverWindows) << measure->Name();
  }
}

TEST(Pool, IsNotTheMeanOfRoots) {
  const std::vector<WindowValue> windows = {{.value = 3, .num_samples = 1},
                                            {.value = 4, .num_samples = 1}};
  EXPECT_DOUBLE_EQ(Pool("rmse", windows)->value, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(Pool("mae", windows)->value, 3.5);
}

TEST(Pool, TakesANameThatNobodyKnowsForAMeanOverSamples) {
  const std::vector<WindowValue> windows = {{.value = 3, .num_samples = 1},
                                            {.value = 4, .num_samples = 3}};
  EXPECT_DOUBLE_EQ(Pool("surprise", windows)->value, 3.75);
  EXPECT_EQ(Pool("surprise", windows)->how, Pooling::kMeanOfSamples);
}

TEST(Pool, SaysWhereItIsAMeanOverWindows) {
  const std::vector<WindowValue> windows = {{.value = 0.5, .num_samples = 10},
                                            {.value = std::nullopt, .num_samples = 5},
                                            {.value = 0.8, .num_samples = 20}};
  for (const char* measure : {"roc_auc", "f1_macro", "r2", "calibration_error"}) {
    const auto pooled = Pool(measure, windows);
    EXPECT_EQ(pooled->how, Pooling::kMeanOverWindows) << measure;
    EXPECT_DOUBLE_EQ(pooled->value, 0.7) << measure;
    EXPECT_EQ(pooled->num_samples, 30) << measure;
  }
  EXPECT_EQ(Pool("roc_auc", std::span(windows).first(1))->how, Pooling::kMeanOfSamples);
}

TEST(Pool, OfSumsThatOnlyAPluginUnderstandsIsNothing) {
  const std::string sums = R"({"samples":10,"sums":[3,4]})";
  const std::vector<WindowValue> windows = {{.value = 0.5, .num_samples = 10, .sums = sums},
                                            {.value = 0.8, .num_samples = 10, .sums = sums}};
  EXPECT_FALSE(Pool("savings", windows));
  EXPECT_DOUBLE_EQ(Pool("savings", std::span(windows).first(1))->value, 0.5);
}

TEST(Pool, OfNothingIsNothing) {
  EXPECT_FALSE(Pool("rmse", {}));
  EXPECT_FALSE(Pool("r2", std::vector<WindowValue>{{.value = std::nullopt, .num_samples = 3}}));
}

TEST(Sums, ThatAreNoneAreRefused) {
  for (const char* text : {"", "{}", "[1,2,3]", "[[1,2]]", "[1,2,\"a\",4]"}) {
    EXPECT_FALSE(RSquared{}.NewAccumulator()->AddSums(text)) << text;
    EXPECT_FALSE(F1{}.NewAccumulator()->AddSums(std::string(text) + "x")) << text;
  }
}

// Half as wide as each of four windows, around the value of all samples.
TEST(PooledInterval, OfAValueOfSumsIsThatOfTheMeanOfItsWindows) {
  const std::vector<WindowInterval> alike(
      4, {.value = 0.7, .low = 0.6, .high = 0.8, .num_samples = 100});
  const PooledValue pooled{.value = 0.71, .num_samples = 400, .how = Pooling::kOfSums};
  const auto interval = PooledInterval(pooled, alike);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->first, 0.66, 1e-12);
  EXPECT_NEAR(interval->second, 0.76, 1e-12);
}

TEST(PooledInterval, OfAValueOfSumsIsAbsentWhereWindowsDoNotResembleEachOther) {
  const std::vector<WindowInterval> apart = {
      {.value = 0.9, .low = 0.88, .high = 0.92, .num_samples = 100},
      {.value = 0.2, .low = 0.18, .high = 0.22, .num_samples = 100}};
  const PooledValue pooled{.value = 0.7, .num_samples = 200, .how = Pooling::kOfSums};
  EXPECT_FALSE(PooledInterval(pooled, apart).has_value());
}

}  // namespace
}  // namespace tidemill::evaluator
