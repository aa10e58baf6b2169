#include "evaluator/outcomes/paired_difference.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/confusion_matrix.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/ranks.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "evaluator/measures/testing/chains.h"

namespace tidemill::evaluator {
namespace {

constexpr int kReplicates = 200;

// Samples, and what two models said about them.
struct Said {
  std::vector<int64_t> keys;
  std::vector<int64_t> truth;
  std::vector<int64_t> one;
  std::vector<int64_t> other;
  std::vector<float> true_values;
  std::vector<float> one_values;
  std::vector<float> other_values;
  std::vector<int32_t> one_ranks;
  std::vector<int32_t> other_ranks;

  PairedOutcomes pair() const {
    return {.one = Of(one, one_values, one_ranks),
            .other = Of(other, other_values, other_ranks),
            .samples = {.keys = keys}};
  }

 private:
  Outcomes Of(const std::vector<int64_t>& classes, const std::vector<float>& values,
              const std::vector<int32_t>& ranks) const {
    return {.predicted_classes = classes,
            .true_classes = truth,
            .predicted_values = values,
            .true_values = true_values,
            .ranks = ranks,
            .num_ranks = std::ssize(keys)};
  }
};

std::optional<PairedDifference> DifferenceBy(const auto& spec, const Said& said,
                                             int replicates = kReplicates) {
  const MeasureSpec measure = spec;
  const PairedOutcomes pair = said.pair();
  return DifferenceOf(*measure, std::span(&pair, 1), replicates, 0);
}

// Both are right about a sample as `hardness` says, the one a little more often.
Said Classes(int64_t trial, double rho, size_t count, double gain) {
  Said said;
  const std::vector<double> hard = testing::Chain("hard", trial, rho, count);
  const std::vector<double> of_one = testing::Chain("one", trial, rho, count);
  const std::vector<double> of_other = testing::Chain("other", trial, rho, count);
  for (size_t i = 0; i < count; ++i) {
    said.keys.push_back(trial * static_cast<int64_t>(count) + static_cast<int64_t>(i));
    said.truth.push_back(static_cast<int64_t>(i % 2));
    const bool one_right = hard[i] + 0.5 * of_one[i] < 0.5 + gain;
    const bool other_right = hard[i] + 0.5 * of_other[i] < 0.5;
    said.one.push_back(one_right ? said.truth[i] : 1 - said.truth[i]);
    said.other.push_back(other_right ? said.truth[i] : 1 - said.truth[i]);
  }
  return said;
}

Said Values(int64_t trial, double rho, size_t count) {
  Said said;
  const std::vector<double> hard = testing::Chain("hard", trial, rho, count);
  const std::vector<double> of_one = testing::Chain("one", trial, rho, count);
  const std::vector<double> of_other = testing::Chain("other", trial, rho, count);
  for (size_t i = 0; i < count; ++i) {
    said.keys.push_back(trial * static_cast<int64_t>(count) + static_cast<int64_t>(i));
    said.true_values.push_back(static_cast<float>(i % 7));
    said.one_values.push_back(said.true_values[i] + static_cast<float>(hard[i] + 0.5 * of_one[i]));
    said.other_values.push_back(said.true_values[i] +
                                static_cast<float>(hard[i] + 0.5 * of_other[i]));
  }
  return said;
}

TEST(PairedDifference, IsOneLessTheOther) {
  const Said said = Classes(1, 0, 400, 0.3);
  const auto difference = DifferenceBy(Accuracy{}, said);
  ASSERT_TRUE(difference && difference->interval);
  EXPECT_DOUBLE_EQ(difference->value(), difference->one - difference->other);
  EXPECT_EQ(difference->num_samples, 400);
  EXPECT_TRUE(difference->IsBeyondChance());
  EXPECT_LT(difference->interval->low, difference->value());
  EXPECT_GT(difference->interval->high, difference->value());
}

TEST(PairedDifference, IsKnownBetterThanItsTwoValues) {
  const Said said = Classes(1, 0, 400, 0.1);
  const MeasureSpec accuracy = Accuracy{};
  const auto own = [&](const Outcomes& outcomes) {
    const auto interval =
        *BootstrapIntervals(std::span(&accuracy, 1), outcomes, {.keys = said.keys}, kReplicates, 0)
             .front();
    return interval.high - interval.low;
  };
  const auto difference = DifferenceBy(Accuracy{}, said);
  const double paired = difference->interval->high - difference->interval->low;
  EXPECT_LT(paired, 0.8 * std::hypot(own(said.pair().one), own(said.pair().other)));
}

TEST(PairedDifference, OfEqualAnswersIsNothing) {
  Said said = Classes(1, 0, 400, 0.1);
  said.other = said.one;
  const auto difference = DifferenceBy(Accuracy{}, said);
  ASSERT_TRUE(difference && difference->interval);
  EXPECT_EQ(difference->interval->low, 0);
  EXPECT_EQ(difference->interval->high, 0);
  EXPECT_FALSE(difference->IsBeyondChance());
}

TEST(PairedDifference, OfFewDifferingAnswersMayBeChance) {
  Said said = Classes(1, 0, 400, 0);
  said.other = said.one = said.truth;
  for (size_t i = 0; i < 5; ++i) said.other[70 * i] = 1 - said.truth[70 * i];
  EXPECT_FALSE(DifferenceBy(Accuracy{}, said)->IsBeyondChance()) << "5 samples for one";
  for (size_t i = 0; i < 12; ++i) said.other[30 * i + 1] = 1 - said.truth[30 * i + 1];
  EXPECT_TRUE(DifferenceBy(Accuracy{}, said)->IsBeyondChance()) << "17 samples for one";
}

TEST(PairedDifference, OfFewSamplesHasNoInterval) {
  const auto few = DifferenceBy(Accuracy{}, Classes(1, 0, 29, 0.3));
  ASSERT_TRUE(few.has_value());
  EXPECT_FALSE(few->interval.has_value());
  EXPECT_TRUE(DifferenceBy(Accuracy{}, Classes(1, 0, 30, 0.3))->interval.has_value());
  EXPECT_FALSE(DifferenceBy(Accuracy{}, Classes(1, 0, 400, 0.3), 0)->interval.has_value());
}

TEST(PairedDifference, IsUndefinedWhereAValueIs) {
  Said said = Classes(1, 0, 100, 0.3);
  said.truth.assign(100, 1);
  said.one_ranks.resize(100);
  said.other_ranks.resize(100);
  EXPECT_FALSE(DifferenceBy(RocAuc{}, said).has_value()) << "no negatives";
  EXPECT_FALSE(DifferenceBy(ConfusionMatrix{}, said).has_value())
      << "a matrix has no single number";
}

TEST(PairedDifference, WorksForMeasuresOfEveryKind) {
  Said classes = Classes(3, 0, 600, 0.4);
  for (size_t i = 0; i < 600; ++i) {
    const auto noise = static_cast<float>(RandomUnit({.purpose = "noise"}, i));
    classes.one_values.push_back(static_cast<float>(classes.one[i]) + noise);
    classes.other_values.push_back(static_cast<float>(classes.other[i]) + noise);
  }
  classes.one_ranks = DenseRanks(classes.one_values);
  classes.other_ranks = DenseRanks(classes.other_values);
  classes.one_values.clear();
  classes.other_values.clear();
  EXPECT_TRUE(DifferenceBy(Accuracy{}, classes)->IsBeyondChance());
  EXPECT_TRUE(DifferenceBy(F1{}, classes)->IsBeyondChance());
  EXPECT_TRUE(DifferenceBy(RocAuc{}, classes)->IsBeyondChance());
  Said values = Values(3, 0, 600);
  for (float& value : values.other_values) value += 1;
  EXPECT_LT(DifferenceBy(MeanAbsoluteError{}, values)->interval->high, 0);
  EXPECT_LT(DifferenceBy(RootMeanSquaredError{}, values)->interval->high, 0);
  EXPECT_GT(DifferenceBy(RSquared{}, values)->interval->low, 0);
}

TEST(PairedDifference, DependsOnSeedKeysAndAnswersAlone) {
  const Said said = Classes(5, 0.5, 300, 0.2);
  const auto first = DifferenceBy(Accuracy{}, said);
  const auto again = DifferenceBy(Accuracy{}, said);
  EXPECT_EQ(first->interval->low, again->interval->low);
  EXPECT_EQ(first->interval->high, again->interval->high);
}

TEST(PairedDifference, OfWindowsIsTheirMeanWeightedBySamples) {
  const Said few = Classes(1, 0, 100, 0.3);
  const Said many = Classes(2, 0, 300, 0.3);
  const MeasureSpec accuracy = Accuracy{};
  const std::vector<PairedOutcomes> windows = {few.pair(), many.pair()};
  const auto both = DifferenceOf(*accuracy, windows, kReplicates, 0);
  const auto of_few = DifferenceBy(Accuracy{}, few);
  const auto of_many = DifferenceBy(Accuracy{}, many);
  EXPECT_NEAR(both->value(), 0.25 * of_few->value() + 0.75 * of_many->value(), 1e-12);
  EXPECT_LT(both->interval->high - both->interval->low,
            of_many->interval->high - of_many->interval->low);
}

// The one model is better in every second window alone.
TEST(PairedDifference, IsNotLessKnownBecauseWindowsDiffer) {
  Said said = Classes(1, 0, 1200, 0);
  std::vector<int32_t> windows;
  for (size_t i = 0; i < 1200; ++i) {
    windows.push_back(static_cast<int32_t>(i / 100));
    if (windows.back() % 2 == 1) said.one[i] = said.truth[i];
  }
  const MeasureSpec accuracy = Accuracy{};
  PairedOutcomes pair = said.pair();
  const auto width = [&] {
    const auto difference = DifferenceOf(*accuracy, std::span(&pair, 1), kReplicates, 0);
    return difference->interval->high - difference->interval->low;
  };
  const double as_one = width();
  pair.windows = windows;
  EXPECT_LT(width(), 0.7 * as_one);
}

// TIDEMILL_TEST_WINDOWS=600 tries as many, and prints a table.
TEST(PairedDifference, HoldsTheTruthAsOftenAsItSaysWhereSamplesFollowOneAnother) {
  const char* const text = std::getenv("TIDEMILL_TEST_WINDOWS");
  const int num_trials = text == nullptr ? 100 : std::atoi(text);
  for (const double rho : {0.0, 0.5, 0.9}) {
    int of_accuracy = 0;
    int of_errors = 0;
    const auto holds = [](const std::optional<PairedDifference>& difference) {
      return difference->interval->low <= 0 && difference->interval->high >= 0 ? 1 : 0;
    };
    for (int64_t trial = 0; trial < num_trials; ++trial) {
      of_accuracy += holds(DifferenceBy(Accuracy{}, Classes(trial, rho, 300, 0)));
      of_errors += holds(DifferenceBy(MeanAbsoluteError{}, Values(trial, rho, 300)));
    }
    if (text != nullptr) {
      std::printf("rho %.1f: accuracy %.3f, mae %.3f\n", rho,
                  static_cast<double>(of_accuracy) / num_trials,
                  static_cast<double>(of_errors) / num_trials);
    }
    EXPECT_GE(of_accuracy, 0.88 * num_trials) << rho;
    EXPECT_GE(of_errors, 0.86 * num_trials) << rho;
  }
}

}  // namespace
}  // namespace tidemill::evaluator
