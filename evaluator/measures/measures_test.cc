#include "evaluator/measures/measures.h"

#include <cmath>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "evaluator/client/evaluation_spec.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

using Classes = std::vector<int64_t>;
using Values = std::vector<float>;

std::optional<double> OfClasses(const MeasureSpec& measure, const Classes& truth,
                                const Classes& predicted) {
  const auto accumulator = NewAccumulator(measure);
  accumulator->Add({.predicted_classes = predicted, .true_classes = truth});
  return accumulator->Value();
}

std::optional<double> OfValues(const MeasureSpec& measure, const Values& truth,
                               const Values& predicted) {
  const auto accumulator = NewAccumulator(measure);
  accumulator->Add({.predicted_values = predicted, .true_values = truth});
  return accumulator->Value();
}

auto Is(double value) { return Optional(DoubleNear(value, 1e-12)); }

const MeasureSpec kMacro = F1{.average = F1Average::kMacro};
const MeasureSpec kMicro = F1{.average = F1Average::kMicro};
const MeasureSpec kWeighted = F1{.average = F1Average::kWeighted};
const std::vector<MeasureSpec> kAll = {
    Accuracy{}, kMacro, kMicro, kWeighted, MeanAbsoluteError{}, RootMeanSquaredError{}};

TEST(Measures, OfNoSamplesHaveNoValue) {
  for (const MeasureSpec& measure : kAll) {
    EXPECT_EQ(NewAccumulator(measure)->Value(), std::nullopt) << NameOf(measure);
  }
}

TEST(Accuracy, IsTheShareOfRightClasses) {
  EXPECT_THAT(OfClasses(Accuracy{}, {0, 1, 2, 1}, {0, 1, 1, 1}), Is(0.75));
  EXPECT_THAT(OfClasses(Accuracy{}, {3}, {3}), Is(1));
  EXPECT_THAT(OfClasses(Accuracy{}, {3}, {0}), Is(0));
}

// The example of scikit-learn's documentation of f1_score.
TEST(F1Score, AveragesAsScikitLearnDoes) {
  const Classes truth = {0, 1, 2, 0, 1, 2};
  const Classes predicted = {0, 2, 1, 0, 0, 1};
  EXPECT_THAT(OfClasses(kMacro, truth, predicted), Is(0.8 / 3));
  EXPECT_THAT(OfClasses(kMicro, truth, predicted), Is(2.0 / 6));
  EXPECT_THAT(OfClasses(kWeighted, truth, predicted), Is(0.8 / 3));
}

TEST(F1Score, CountsOnlyClassesThatOccur) {
  // Class 1 occurs nowhere; class 2 is predicted only; class 4 is true only.
  EXPECT_THAT(OfClasses(kMacro, {0, 0, 3}, {0, 0, 3}), Is(1));
  EXPECT_THAT(OfClasses(kMacro, {0, 0}, {0, 2}), Is((2.0 / 3 + 0) / 2));
  EXPECT_THAT(OfClasses(kWeighted, {0, 0}, {0, 2}), Is(2.0 / 3));
  EXPECT_THAT(OfClasses(kMacro, {0, 4}, {0, 0}), Is((2.0 / 3 + 0) / 2));
  EXPECT_THAT(OfClasses(kWeighted, {0, 4}, {0, 0}), Is(1.0 / 3));
}

TEST(F1Score, OfOneClassIsOne) {
  for (const MeasureSpec& measure : {kMacro, kMicro, kWeighted}) {
    EXPECT_THAT(OfClasses(measure, {7, 7, 7}, {7, 7, 7}), Is(1)) << NameOf(measure);
  }
}

TEST(F1Score, IsTheHarmonicMeanOfPrecisionAndRecall) {
  Classes truth;
  Classes predicted;
  for (int64_t i = 0; i < 500; ++i) {
    truth.push_back(static_cast<int64_t>(RandomBits({.purpose = "true"}, i) % 5));
    predicted.push_back(static_cast<int64_t>(RandomBits({.purpose = "predicted"}, i) % 6));
  }
  double macro = 0;
  double weighted = 0;
  const std::set<int64_t> labels = {0, 1, 2, 3, 4, 5};
  for (const int64_t label : labels) {
    double both = 0, said = 0, is = 0;
    for (size_t i = 0; i < truth.size(); ++i) {
      both += truth[i] == label && predicted[i] == label;
      said += predicted[i] == label;
      is += truth[i] == label;
    }
    const double precision = said > 0 ? both / said : 0;
    const double recall = is > 0 ? both / is : 0;
    const double f1 = both > 0 ? 2 * precision * recall / (precision + recall) : 0;
    macro += f1 / static_cast<double>(labels.size());
    weighted += f1 * is / static_cast<double>(truth.size());
  }
  EXPECT_THAT(OfClasses(kMacro, truth, predicted), Is(macro));
  EXPECT_THAT(OfClasses(kWeighted, truth, predicted), Is(weighted));
  EXPECT_EQ(OfClasses(kMicro, truth, predicted), OfClasses(Accuracy{}, truth, predicted));
}

TEST(Errors, AreMeansOverSamples) {
  EXPECT_THAT(OfValues(MeanAbsoluteError{}, {1, 2, 3}, {1, 0, 7}), Is(2));
  EXPECT_THAT(OfValues(RootMeanSquaredError{}, {1, 2, 3}, {1, 0, 7}), Is(std::sqrt(20.0 / 3)));
}

TEST(Measures, MergedPartsGiveTheWhole) {
  Classes truth, predicted;
  Values true_values, predicted_values;
  for (int64_t i = 0; i < 300; ++i) {
    truth.push_back(static_cast<int64_t>(RandomBits({.purpose = "true"}, i) % 4));
    predicted.push_back(static_cast<int64_t>(RandomBits({.purpose = "predicted"}, i) % 4));
    true_values.push_back(static_cast<float>(RandomUnit({.purpose = "true value"}, i)));
    predicted_values.push_back(static_cast<float>(RandomUnit({.purpose = "said value"}, i)));
  }
  const auto part = [&](size_t from, size_t to) {
    const auto cut = [&](const auto& all) { return std::span(all).subspan(from, to - from); };
    return Outcomes{cut(predicted), cut(truth), cut(predicted_values), cut(true_values)};
  };
  for (const MeasureSpec& measure : kAll) {
    const auto whole = NewAccumulator(measure);
    whole->Add(part(0, truth.size()));
    const auto merged = NewAccumulator(measure);
    const size_t cuts[] = {0, 0, 1, 90, 91, 300};
    for (size_t i = 0; i + 1 < std::size(cuts); ++i) {
      const auto piece = NewAccumulator(measure);
      piece->Add(part(cuts[i], cuts[i + 1]));
      merged->Merge(*piece);
    }
    EXPECT_THAT(merged->Value(), Is(*whole->Value())) << NameOf(measure);
  }
}

TEST(EvaluationSpec, IsReadAsPipelinesWriteIt) {
  const auto spec = config::Read<EvaluationSpec>(R"(
dataset: elec2
windows: {type: between_triggers}
models: all
measures: [accuracy, {type: f1, average: weighted}]
)",
                                                 "pipeline.yaml");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->dataset, "elec2");
  EXPECT_EQ(spec->windows, WindowsSpec(BetweenTriggers{}));
  EXPECT_EQ(spec->models, EvaluatedModels::kAll);
  EXPECT_EQ(spec->measures, (std::vector<MeasureSpec>{Accuracy{}, kWeighted}));
  const auto again = config::Read<EvaluationSpec>(config::Print(*spec), "printed");
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(config::Print(*again), config::Print(*spec));
}

TEST(EvaluationSpec, ReadsSlicesAndActiveModels) {
  const auto spec = config::Read<EvaluationSpec>(
      "{dataset: d, windows: {type: slices, every: 7d}, models: active, measures: [mae, rmse]}",
      "x");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->windows, WindowsSpec(Slices{.every = Duration{7 * 86'400'000'000}}));
  EXPECT_EQ(spec->models, EvaluatedModels::kActive);
}

TEST(EvaluationSpec, RefusesWhatCannotBeMeasured) {
  const auto problem = [](const std::string& rest) {
    return config::Read<EvaluationSpec>("{dataset: d, " + rest + "}", "x").status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(problem("measures: []"), StatusIs(kInvalid, HasSubstr("measures")));
  EXPECT_THAT(problem("measures: [f1, {type: f1}]"), StatusIs(kInvalid, HasSubstr("twice")));
  EXPECT_THAT(problem("measures: [accuracy, mae]"), StatusIs(kInvalid, HasSubstr("mixes")));
  EXPECT_THAT(problem("measures: [acuracy]"), StatusIs(kInvalid, HasSubstr("accuracy")));
  EXPECT_THAT(problem("measures: [accuracy], windows: {type: slices, every: 0s}"),
              StatusIs(kInvalid, HasSubstr("positive")));
}

}  // namespace
}  // namespace tidemill::evaluator
