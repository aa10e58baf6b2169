#include "trainer_server/downsampling/sample_scores.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

#include "models/loss.h"
#include "models/training/losses/bce_with_logits.h"
#include "models/training/losses/cross_entropy.h"
#include "models/training/losses/real_losses.h"

namespace tidemill::trainer_server {
namespace {

// Logits, labels and embeddings of five samples, and what they score, computed in double.
Answers Five() {
  return {.output = torch::tensor({{2.0f, 1.0f, 0.0f},
                                   {0.0f, 0.0f, 0.0f},
                                   {-1.0f, 3.0f, 0.5f},
                                   {1.0f, 1.0f, 1.0f},
                                   {4.0f, -2.0f, 0.0f}}),
          .target = torch::tensor({0, 2, 1, 0, 1}, torch::kInt64),
          .embedding = torch::tensor(
              {{1.0f, 0.0f}, {0.0f, 2.0f}, {1.0f, 1.0f}, {0.5f, 0.5f}, {3.0f, 4.0f}})};
}

void ExpectScores(ScoreOf what, const std::vector<float>& expected,
                  const models::LossSpec& loss = models::CrossEntropy{}) {
  const torch::Tensor scores = Score(what, loss, Five());
  ASSERT_EQ(scores.numel(), std::ssize(expected));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(scores[static_cast<int64_t>(i)].item<float>(), expected[i], 1e-5) << i;
  }
}

TEST(SampleScores, AreThoseOfTheReference) {
  ExpectScores(ScoreOf::kLoss, {.40760596f, 1.09861229f, .09567433f, 1.09861229f, 6.02058114f});
  ExpectScores(ScoreOf::kError, {.42433612f, .81649658f, .11902222f, .81649658f, 1.39826489f});
  ExpectScores(ScoreOf::kGradientNorm,
               {.42433612f, .81649658f, .11902222f, .81649658f, 1.39826489f});
  ExpectScores(ScoreOf::kLastLayerGradientNorm,
               {.6001019f, 1.82574186f, .20615253f, 1.0f, 7.12977995f});
  ExpectScores(ScoreOf::kGreatestProbability,
               {.66524096f, .33333333f, .90875992f, .33333333f, .97962921f});
  ExpectScores(ScoreOf::kMargin, {.42051248f, 0, .83416437f, 0, .96168667f});
  ExpectScores(ScoreOf::kEntropy, {.83239558f, 1.09861229f, .3487413f, 1.09861229f, .10692083f});
}

TEST(SampleScores, LeastConfidenceDoesNotRankByTheGreatestLogit) {
  const Answers answers{.output = torch::tensor({{10.0f, 9.9f, 9.8f}, {2.0f, -5.0f, -5.0f}}),
                        .target = torch::tensor({0, 0}, torch::kInt64),
                        .embedding = {}};
  const torch::Tensor scores =
      Score(ScoreOf::kGreatestProbability, models::CrossEntropy{}, answers);
  EXPECT_LT(scores[0].item<float>(), scores[1].item<float>());
}

TEST(SampleScores, ASingleLogitIsTwoClasses) {
  const Answers answers{.output = torch::tensor({{0.0f}, {2.0f}, {-2.0f}, {200.0f}}),
                        .target = torch::tensor({1, 1, 1, 0}, torch::kInt64),
                        .embedding = {}};
  const models::LossSpec loss = models::BceWithLogits{};
  const auto score = [&](ScoreOf what, int64_t row) {
    return Score(what, loss, answers)[row].item<float>();
  };
  for (const ScoreOf what : {ScoreOf::kMargin, ScoreOf::kGreatestProbability}) {
    EXPECT_LT(score(what, 0), score(what, 1));
    EXPECT_FLOAT_EQ(score(what, 1), score(what, 2));
  }
  EXPECT_NEAR(score(ScoreOf::kEntropy, 0), std::log(2.0), 1e-6);
  EXPECT_EQ(score(ScoreOf::kEntropy, 3), 0) << "not NaN where a probability rounds to zero";
  EXPECT_NEAR(score(ScoreOf::kError, 0), std::sqrt(0.5), 1e-6);
}

TEST(SampleScores, AnOnlyClassIsCertain) {
  Answers answers{.output = torch::tensor({{-3.0f}, {0.0f}, {7.0f}}),
                  .target = torch::zeros({3}, torch::kInt64),
                  .embedding = {}};
  const models::LossSpec loss = models::CrossEntropy{};
  for (const ScoreOf what : {ScoreOf::kGreatestProbability, ScoreOf::kMargin}) {
    EXPECT_TRUE(torch::equal(Score(what, loss, answers), torch::ones({3})));
  }
  for (const ScoreOf what : {ScoreOf::kLoss, ScoreOf::kEntropy, ScoreOf::kError}) {
    EXPECT_TRUE(torch::equal(Score(what, loss, answers), torch::zeros({3})));
  }
}

TEST(SampleScores, ErrorsOfRealLabelsAreDistances) {
  const Answers answers{.output = torch::tensor({{1.0f, 2.0f}, {0.0f, 0.0f}}),
                        .target = torch::tensor({{4.0f, 6.0f}, {0.0f, 1.0f}}),
                        .embedding = {}};
  const torch::Tensor scores = Score(ScoreOf::kError, models::Mse{}, answers);
  EXPECT_FLOAT_EQ(scores[0].item<float>(), 5);
  EXPECT_FLOAT_EQ(scores[1].item<float>(), 1);
}

TEST(SampleScores, WhatIsNotFiniteStaysSo) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Answers answers{.output = torch::tensor({{nan, 0.0f}, {infinity, 0.0f}, {1.0f, 0.0f}}),
                        .target = torch::tensor({0, 1, 0}, torch::kInt64),
                        .embedding = torch::zeros({3, 1})};
  for (const ScoreOf what :
       {ScoreOf::kLoss, ScoreOf::kGradientNorm, ScoreOf::kMargin, ScoreOf::kLastLayerGradientNorm,
        ScoreOf::kGreatestProbability, ScoreOf::kEntropy, ScoreOf::kError}) {
    const torch::Tensor finite = torch::isfinite(Score(what, models::CrossEntropy{}, answers));
    EXPECT_FALSE(finite[0].item<bool>());
    EXPECT_FALSE(finite[1].item<bool>());
    EXPECT_TRUE(finite[2].item<bool>());
  }
}

}  // namespace
}  // namespace tidemill::trainer_server
