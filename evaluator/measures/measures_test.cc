#include "evaluator/measures/measures.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "config/testing/not_tried.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/confusion_matrix.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/precision.h"
#include "evaluator/measures/classes/recall.h"
#include "evaluator/measures/classes/top_k.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/average_precision.h"
#include "evaluator/measures/ranked/calibration_error.h"
#include "evaluator/measures/ranked/log_loss.h"
#include "evaluator/measures/ranked/ranks.h"
#include "evaluator/measures/ranked/roc_auc.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Optional;

auto IsNearly(double value) { return Optional(DoubleNear(value, 1e-9)); }

const std::vector<MeasureSpec> kAll = {Accuracy{},
                                       TopK{.k = 2},
                                       F1{},
                                       Precision{},
                                       Recall{{.average = ClassAverage::kWeighted}},
                                       RocAuc{},
                                       AveragePrecision{},
                                       LogLoss{},
                                       CalibrationError{},
                                       ConfusionMatrix{},
                                       MeanAbsoluteError{},
                                       RootMeanSquaredError{},
                                       RSquared{}};

// Outcomes of all kinds for samples that come up once for each of `keys`; equal keys are equal
// samples.
struct Samples {
  explicit Samples(const std::vector<int64_t>& keys) {
    std::vector<float> scores;
    for (const int64_t key : keys) {
      const auto unit = [&](std::string_view purpose) {
        return static_cast<float>(RandomUnit({.purpose = purpose}, key));
      };
      truth.push_back(unit("truth") < 0.5F ? 0 : 1);
      predicted.push_back(unit("predicted") < 0.5F ? 0 : 1);
      true_values.push_back(unit("true value"));
      predicted_values.push_back(unit("predicted value"));
      true_probabilities.push_back(unit("true probability"));
      top_probabilities.push_back(unit("top probability"));
      places.push_back(static_cast<int32_t>(unit("place") * 5));
      scores.push_back(unit("score"));
    }
    ranks = DenseRanks(scores);
  }

  Outcomes Part(size_t from, size_t to) const {
    const auto cut = [&](const auto& all) { return std::span(all).subspan(from, to - from); };
    return {.predicted_classes = cut(predicted),
            .true_classes = cut(truth),
            .predicted_values = cut(predicted_values),
            .true_values = cut(true_values),
            .true_probabilities = cut(true_probabilities),
            .top_probabilities = cut(top_probabilities),
            .true_places = cut(places),
            .ranks = cut(ranks),
            .num_ranks = static_cast<int64_t>(ranks.size())};
  }
  Outcomes All() const { return Part(0, truth.size()); }

  std::vector<int64_t> truth, predicted;
  std::vector<float> true_values, predicted_values, true_probabilities, top_probabilities;
  std::vector<int32_t> places, ranks;
};

// tests/plugin/measure_plugin_test.cc tries plug-ins.
TEST(Measures, AreAllTried) { EXPECT_THAT(config::testing::NotTried(kAll, {"plugin"}), IsEmpty()); }

TEST(Measures, SayWhetherALowerValueIsABetterModel) {
  const std::set<std::string_view> lower = {"calibration_error", "log_loss", "mae", "rmse"};
  for (const MeasureSpec& measure : kAll) {
    EXPECT_EQ(measure->LowerIsBetter(), lower.contains(measure.type())) << measure.type();
  }
}

TEST(Measures, AreFoundByTheNamesThatTheirSettingsGive) {
  for (const MeasureSpec& measure : kAll) {
    const auto found = MeasureNamed(measure->Name());
    ASSERT_NE(found, nullptr) << measure->Name();
    EXPECT_EQ(found->Name(), measure->Name());
  }
  for (const char* name : {"", "f1", "f1_mean", "top_", "top_2x", "loss"}) {
    EXPECT_EQ(MeasureNamed(name), nullptr) << name;
  }
}

TEST(Measures, OfNoSamplesHaveNoValue) {
  for (const MeasureSpec& measure : kAll) {
    EXPECT_EQ(measure->ValueOf({}), std::nullopt) << measure->Name();
  }
}

TEST(Measures, OfSamplesThatAllCountNothingHaveNoValue) {
  const Samples samples({1, 2, 3});
  Outcomes outcomes = samples.All();
  const std::vector<uint8_t> none = {0, 0, 0};
  outcomes.weights = none;
  for (const MeasureSpec& measure : kAll) {
    EXPECT_EQ(measure->ValueOf(outcomes), std::nullopt) << measure->Name();
  }
}

TEST(Measures, AreTheSameInAnyGroupingOfSamples) {
  std::vector<int64_t> keys;
  for (int64_t key = 0; key < 300; ++key) keys.push_back(key);
  const Samples samples(keys);
  for (const MeasureSpec& measure : kAll) {
    const auto grouped = measure->NewAccumulator();
    if (grouped == nullptr || !measure->HasValue()) continue;
    const size_t cuts[] = {0, 0, 1, 90, 91, 300};
    for (size_t i = 0; i + 1 < std::size(cuts); ++i) {
      grouped->Add(samples.Part(cuts[i], cuts[i + 1]));
    }
    EXPECT_THAT(grouped->Value(), IsNearly(*measure->ValueOf(samples.All()))) << measure->Name();
  }
}

TEST(Measures, TakeASampleOfWeightThreeForThreeSamples) {
  std::vector<int64_t> keys, repeated;
  std::vector<uint8_t> weights;
  for (int64_t key = 0; key < 100; ++key) {
    keys.push_back(key);
    weights.push_back(static_cast<uint8_t>(RandomBits({.purpose = "weight"}, key) % 4));
    repeated.insert(repeated.end(), weights.back(), key);
  }
  const Samples once(keys);
  const Samples several(repeated);
  Outcomes weighted = once.All();
  weighted.weights = weights;
  for (const MeasureSpec& measure : kAll) {
    const auto expected = measure->ValueOf(several.All());
    EXPECT_EQ(expected.has_value(), measure->HasValue()) << measure->Name();
    if (!expected) continue;
    EXPECT_THAT(measure->ValueOf(weighted), IsNearly(*expected)) << measure->Name();
  }
}

double Correlation(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    of_a += (a[i] - mean_a) * (a[i] - mean_a);
    of_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return both / std::sqrt(of_a * of_b);
}

TEST(Measures, SayWhatEachSampleDoesToTheValue) {
  std::vector<int64_t> keys(120);
  std::iota(keys.begin(), keys.end(), 0);
  const Samples samples(keys);
  Outcomes others = samples.All();
  for (const MeasureSpec& measure : kAll) {
    if (!measure->HasValue()) continue;
    const std::vector<double> influence = measure->Influence(samples.All());
    ASSERT_EQ(influence.size(), keys.size()) << measure->Name();
    const double whole = *measure->ValueOf(samples.All());
    std::vector<double> lost;
    std::vector<uint8_t> weights(keys.size(), 1);
    others.weights = weights;
    for (uint8_t& weight : weights) {
      weight = 0;
      lost.push_back(whole - *measure->ValueOf(others));
      weight = 1;
    }
    // The samples of a bin whose difference is nearly zero change its sign.
    const double least = measure->Name() == CalibrationError::kType ? 0.97 : 0.999;
    EXPECT_GT(Correlation(influence, lost), least) << measure->Name();
  }
}

TEST(Accuracy, IsTheShareOfRightClasses) {
  const std::vector<int64_t> truth = {0, 1, 2, 1}, predicted = {0, 1, 1, 1};
  EXPECT_THAT(
      MeasureSpec(Accuracy{})->ValueOf({.predicted_classes = predicted, .true_classes = truth}),
      IsNearly(0.75));
}

TEST(DenseRanks, KeepTheOrderAndTheTies) {
  const std::vector<float> numbers = {.5F, -1, .5F, std::numeric_limits<float>::quiet_NaN(), 7};
  EXPECT_THAT(DenseRanks(numbers), ::testing::ElementsAre(2, 1, 2, 0, 3));
}

}  // namespace
}  // namespace tidemill::evaluator
