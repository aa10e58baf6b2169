#include "evaluator/measures/classes/class_counts.h"

#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/precision.h"
#include "evaluator/measures/classes/recall.h"
#include "evaluator/measures/measures.h"
#include "evaluator/measures/testing/outcomes.h"

namespace tidemill::evaluator {
namespace {

using testing::Is;

using Classes = std::vector<int64_t>;

std::optional<double> OfClasses(const MeasureSpec& measure, const Classes& truth,
                                const Classes& predicted) {
  return measure->ValueOf({.predicted_classes = predicted, .true_classes = truth});
}

const MeasureSpec kMacro = F1{{.average = ClassAverage::kMacro}};
const MeasureSpec kMicro = F1{{.average = ClassAverage::kMicro}};
const MeasureSpec kWeighted = F1{{.average = ClassAverage::kWeighted}};

// Class 3 is never predicted, class 1 never right.
TEST(PrecisionAndRecall, AverageAsScikitLearnDoes) {
  const Classes truth = {0, 1, 2, 0, 1, 2, 2, 3};
  const Classes predicted = {0, 2, 1, 0, 0, 1, 2, 1};
  const auto of = [&](const MeasureSpec& measure) { return OfClasses(measure, truth, predicted); };
  EXPECT_THAT(of(Precision{{.average = ClassAverage::kMacro}}), Is(0.29166666666666663));
  EXPECT_THAT(of(Precision{{.average = ClassAverage::kMicro}}), Is(0.375));
  EXPECT_THAT(of(Precision{{.average = ClassAverage::kWeighted}}), Is(0.35416666666666663));
  EXPECT_THAT(of(Recall{{.average = ClassAverage::kMacro}}), Is(0.3333333333333333));
  EXPECT_THAT(of(Recall{{.average = ClassAverage::kMicro}}), Is(0.375));
  EXPECT_THAT(of(Recall{{.average = ClassAverage::kWeighted}}), Is(0.375));
  EXPECT_THAT(of(kMacro), Is(0.3));
  EXPECT_THAT(of(kWeighted), Is(0.35));
}

TEST(ClassScores, TakeClassesOfAnyNumber) {
  EXPECT_THAT(OfClasses(kMacro, {-5, int64_t{1} << 40, 2}, {-5, int64_t{1} << 40, 2}), Is(1));
  EXPECT_EQ(MeasureSpec(Precision{})->Name(), "precision_macro");
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
    EXPECT_THAT(OfClasses(measure, {7, 7, 7}, {7, 7, 7}), Is(1)) << measure->Name();
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

}  // namespace
}  // namespace tidemill::evaluator
