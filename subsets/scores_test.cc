#include "subsets/scores.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/sampling.h"

namespace tidemill::subsets {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kTolerance = 1e-12;

// Five samples, three classes.
const std::vector<float> kLogits = {2, 1, 0, 0, 0, 0, -1, 3, 0.5, 1, 1, 1, 4, -2, 0};
const std::vector<int64_t> kLabels = {0, 2, 1, 0, 1};
const std::vector<float> kEmbeddings = {1, 0, 0, 2, 1, 1, 0.5, 0.5, 3, 4};
const Rows kLogitRows{kLogits, 5, 3};
const std::vector<double> kKnownLosses = {0.4076059644443803, 1.0986122886681098,
                                          0.09567432941438225, 1.0986122886681098,
                                          6.020581138947329};
const std::vector<double> kNorms = {0.4243361242467591, 0.816496580927726, 0.11902221878671276,
                                    0.816496580927726, 1.3982648885199989};

std::vector<double> Computed(void (*score)(const Rows&, std::span<double>), const Rows& logits) {
  std::vector<double> values(static_cast<size_t>(logits.num_rows));
  score(logits, values);
  return values;
}

std::vector<double> Computed(void (*score)(const Rows&, std::span<const int64_t>,
                                           std::span<double>),
                             const Rows& logits, const std::vector<int64_t>& labels) {
  std::vector<double> values(static_cast<size_t>(logits.num_rows));
  score(logits, labels, values);
  return values;
}

TEST(Scores, AreThoseOfTheReference) {
  EXPECT_THAT(Computed(Losses, kLogitRows, kLabels),
              Pointwise(DoubleNear(kTolerance), kKnownLosses));
  EXPECT_THAT(Computed(GradientNorms, kLogitRows, kLabels),
              Pointwise(DoubleNear(kTolerance), kNorms));
  EXPECT_THAT(
      Computed(GreatestProbabilities, kLogitRows),
      Pointwise(DoubleNear(kTolerance),
                std::vector<double>{0.6652409557748219, 0.3333333333333333, 0.9087599242585133,
                                    0.3333333333333333, 0.9796292071670796}));
  EXPECT_THAT(Computed(Margins, kLogitRows),
              Pointwise(DoubleNear(kTolerance),
                        std::vector<double>{0.42051248472002417, 0.0, 0.8341643671262988, 0.0,
                                            0.9616866723637504}));
  EXPECT_THAT(
      Computed(Entropies, kLogitRows),
      Pointwise(DoubleNear(kTolerance),
                std::vector<double>{0.8323955818399388, 1.0986122886681096, 0.34874129668200776,
                                    1.0986122886681096, 0.10692082633819404}));
}

TEST(Scores, OfTheLastLayerAreThoseOfTheReference) {
  std::vector<double> norms(5);
  LastLayerGradientNorms(kLogitRows, kLabels, {kEmbeddings, 5, 2}, norms);
  EXPECT_THAT(norms, Pointwise(DoubleNear(kTolerance),
                               std::vector<double>{0.6001019019146014, 1.8257418583505538,
                                                   0.20615253016816543, 1.0, 7.129779951735114}));
}

TEST(Scores, RankTheSameSamplesAsUncertain) {
  EXPECT_THAT(TopK(Computed(GreatestProbabilities, kLogitRows), 5, Best::kSmallest).rows,
              ElementsAre(1, 3, 0, 2, 4));
  EXPECT_THAT(TopK(Computed(Margins, kLogitRows), 5, Best::kSmallest).rows,
              ElementsAre(1, 3, 0, 2, 4));
  // In this order only when values that differ in the last bit count as equal.
  std::vector<double> entropies = Computed(Entropies, kLogitRows);
  for (double& entropy : entropies) entropy = std::round(entropy * 1e12);
  EXPECT_THAT(TopK(entropies, 5).rows, ElementsAre(1, 3, 0, 2, 4));
}

TEST(Scores, DrawWithTheProbabilitiesOfTheReference) {
  // 1 / (N p), which the weights of one draw with replacement would be.
  const std::vector<double> of_losses = {4.27917488, 1.58765492, 18.23077531, 1.58765492,
                                         0.28970911};
  const std::vector<double> p = InclusionProbabilities(Computed(Losses, kLogitRows, kLabels), 1);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(1 / (5 * p[i]), of_losses[i], 1e-7);
  const std::vector<double> of_norms = {1.68480419, 0.87559862, 6.00663713, 0.87559862, 0.51129316};
  const std::vector<double> q =
      InclusionProbabilities(Computed(GradientNorms, kLogitRows, kLabels), 1);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(1 / (5 * q[i]), of_norms[i], 1e-7);
}

TEST(Scores, RankByProbabilitiesNotByLogits) {
  // The first has the greater logit, and is less confident.
  const std::vector<float> logits = {10, 9.9F, 9.8F, 2, -5, -5};
  EXPECT_THAT(TopK(Computed(GreatestProbabilities, {logits, 2, 3}), 1, Best::kSmallest).rows,
              ElementsAre(0));
}

TEST(Scores, OfOneLogitAreThoseOfTwoClasses) {
  const std::vector<float> one = {0.3F, -2, 40};
  const std::vector<float> two = {0, 0.3F, 0, -2, 0, 40};
  const std::vector<int64_t> labels = {1, 0, 0};
  const Rows single{one, 3, 1};
  const Rows pair{two, 3, 2};
  for (const auto score : {GreatestProbabilities, Margins, Entropies}) {
    EXPECT_EQ(Computed(score, single), Computed(score, pair));
  }
  EXPECT_EQ(Computed(Losses, single, labels), Computed(Losses, pair, labels));
  // |sigma(z) - y|, the gradient with respect to the one logit.
  EXPECT_THAT(
      Computed(GradientNorms, single, labels),
      ElementsAre(DoubleNear(1 / (1 + std::exp(double{0.3F})), kTolerance),
                  DoubleNear(1 / (1 + std::exp(2.0)), kTolerance), DoubleNear(1, kTolerance)));
}

TEST(Scores, StayExactForConfidentModels) {
  const std::vector<float> logits = {60, 0, 1000, -1000};
  const std::vector<int64_t> labels = {0, 1};
  const auto losses = Computed(Losses, {logits, 2, 2}, labels);
  EXPECT_NEAR(losses[0] / std::exp(-60.0), 1, 1e-12);
  EXPECT_EQ(losses[1], 2000);
}

TEST(Scores, AreNoNumbersWhereNothingCanBeSaid) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {nan, 0, infinity, 0, 1, 2, 1, 2};
  const std::vector<int64_t> labels = {0, 0, -1, 2};
  const Rows rows{logits, 4, 2};
  for (const double loss : Computed(Losses, rows, labels)) EXPECT_TRUE(std::isnan(loss));
  const auto margins = Computed(Margins, rows);
  EXPECT_TRUE(std::isnan(margins[0]));
  EXPECT_TRUE(std::isnan(margins[1]));
  EXPECT_FALSE(std::isnan(margins[2]));
}

}  // namespace
}  // namespace tidemill::subsets
