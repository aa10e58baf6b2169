#include "supervisor/triggers/errors/performance_measure.h"

#include <cmath>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/precision.h"
#include "evaluator/measures/classes/recall.h"
#include "evaluator/measures/classes/top_k.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/average_precision.h"
#include "evaluator/measures/ranked/log_loss.h"
#include "evaluator/measures/ranked/roc_auc.h"

namespace tidemill::supervisor {
namespace {

using ::testing::UnorderedElementsAre;

// Labels 0, 1, 1, 0 and the probabilities of both classes.
EvidenceTable TwoClasses() {
  return {.num_rows = 4,
          .width = 3,
          .values = {0, .6, .4, /**/ 1, .2, .8, /**/ 1, .7, .3, /**/ 0, .9, .1}};
}

double Score(const PerformanceMeasure& measure, const EvidenceTable& outcomes) {
  return ScoreOf(measure, outcomes).value_or(NAN);
}

TEST(PerformanceMeasure, ScoresClassesByTheirProbabilities) {
  const EvidenceTable two = TwoClasses();
  EXPECT_NEAR(Score(evaluator::Accuracy{}, two), .75, 1e-7);
  // Class 0 has two hits and one false alarm, class 1 one hit and one miss.
  EXPECT_NEAR(Score(evaluator::F1{}, two), (.8 + 2.0 / 3) / 2, 1e-7);
  EXPECT_NEAR(Score(evaluator::Precision{}, two), (2.0 / 3 + 1) / 2, 1e-7);
  EXPECT_NEAR(Score(evaluator::Recall{}, two), .75, 1e-7);
  // Only one of the four pairs, .3 against .4, is in the wrong order.
  EXPECT_NEAR(Score(evaluator::RocAuc{}, two), .75, 1e-7);
  // By precision at each hit: 1 at .8, and 2 of 3 at .3.
  EXPECT_NEAR(Score(evaluator::AveragePrecision{}, two), (1 + 2.0 / 3) / 2, 1e-7);
  EXPECT_NEAR(Score(evaluator::LogLoss{}, two), -std::log(.6 * .8 * .3 * .9) / 4, 1e-6);
}

TEST(PerformanceMeasure, ScoresMoreThanTwoClasses) {
  const EvidenceTable three = {
      .num_rows = 3, .width = 4, .values = {2, .2, .5, .3, /**/ 0, .1, .6, .3, /**/ 1, .1, .8, .1}};
  EXPECT_NEAR(Score(evaluator::TopK{.k = 2}, three), 2.0 / 3, 1e-7);
  // Class 0: its sample has the tie with another one and is below the third; class 1: it has the
  // highest probability; class 2: it ties with one and beats the other.
  EXPECT_NEAR(Score(evaluator::RocAuc{}, three), (.25 + 1 + .75) / 3, 1e-7);
}

TEST(PerformanceMeasure, ScoresValues) {
  const EvidenceTable values = {.num_rows = 3, .width = 2, .values = {1, 2, 3, 3, 5, 4}};
  EXPECT_NEAR(Score(evaluator::RootMeanSquaredError{}, values), std::sqrt(2.0 / 3), 1e-6);
  EXPECT_NEAR(Score(evaluator::RSquared{}, values), 1 - 2.0 / 8, 1e-6);
  EXPECT_NEAR(Score(MeanAbsoluteErrorMeasure{}, values), 2.0 / 3, 1e-6);
}

TEST(PerformanceMeasure, HasNoScoreWhereItIsUndefined) {
  const EvidenceTable one_class = {.num_rows = 2, .width = 3, .values = {1, .6, .4, 1, .2, .8}};
  EXPECT_EQ(ScoreOf(evaluator::RocAuc{}, one_class), std::nullopt);
  EXPECT_EQ(ScoreOf(evaluator::F1{}, {.width = 3}), std::nullopt);
}

TEST(PerformanceMeasure, KnowsItsBadSideAndItsRange) {
  EXPECT_EQ(KindOf(evaluator::F1{}).name, "f1_macro");
  EXPECT_EQ(KindOf(evaluator::F1{}).bad, statistics::BadSide::kLow);
  EXPECT_EQ(KindOf(evaluator::LogLoss{}).bad, statistics::BadSide::kHigh);
  EXPECT_EQ(KindOf(evaluator::RootMeanSquaredError{}).bad, statistics::BadSide::kHigh);
  EXPECT_EQ(RangeOf(evaluator::RocAuc{}).greatest, 1);
  EXPECT_EQ(RangeOf(evaluator::LogLoss{}).greatest, std::nullopt);
  EXPECT_EQ(RangeOf(evaluator::RSquared{}).least, std::nullopt);
}

TEST(PerformanceMeasure, IsAnyOfTheEvaluatorThatIsANumberOfPredictionsAndLabels) {
  std::set<std::string> here, missing;
  for (const auto& alternative : PerformanceMeasurePart::Alternatives()) {
    here.insert(std::string(alternative.type().tag));
  }
  for (const auto& alternative : evaluator::Measure::Alternatives()) {
    const auto type = std::string(alternative.type().tag);
    if (!here.contains(type)) missing.insert(type);
  }
  EXPECT_THAT(missing, UnorderedElementsAre("mae", "confusion_matrix", "plugin"));
  EXPECT_EQ(PerformanceMeasure().type(), "accuracy");
}

TEST(PerformanceMeasure, KeepsItsSettings) {
  const PerformanceMeasure measure = evaluator::TopK{.k = 3};
  PerformanceMeasure copy = measure;
  copy = PerformanceMeasure(measure);
  EXPECT_EQ(copy.type(), "top_k");
  EXPECT_EQ(copy->measure().Name(), "top_3");
}

}  // namespace
}  // namespace tidemill::supervisor
