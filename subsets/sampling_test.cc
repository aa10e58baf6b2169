#include "subsets/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/testing/special_numbers.h"

namespace tidemill::subsets {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kInfinity;
using testing::kNan;
using ::testing::Not;
using ::testing::SizeIs;

constexpr RandomKey kRandomOfDraw{.seed = 11, .purpose = "sampling_test", .trigger = 2};
constexpr DrawMethod kMethods[] = {DrawMethod::kPriority, DrawMethod::kPoisson,
                                   DrawMethod::kSystematic};

RandomKey SeedOfDraw(int64_t seed) { return {.seed = seed, .purpose = "sampling_test"}; }

// The mean of numbers, and by how much it may be off.
struct Mean {
  double sum = 0;
  double squares = 0;
  double count = 0;
  void Add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double value() const { return sum / count; }
  double standard_error() const {
    return std::sqrt(std::max(0.0, squares / count - value() * value()) / count);
  }
};

// sum(w x) / rows.size() over many draws.
Mean Estimates(DrawMethod method, const std::vector<double>& scores, int64_t k,
               const std::vector<double>& x, double smoothing = 0) {
  Mean mean;
  for (int64_t seed = 0; seed < 40'000; ++seed) {
    const Choice choice = DrawByScore(method, scores, k, SeedOfDraw(seed), smoothing);
    double sum = 0;
    for (size_t i = 0; i < choice.rows.size(); ++i) {
      sum += choice.weights[i] * x[static_cast<size_t>(choice.rows[i])];
    }
    mean.Add(choice.rows.empty() ? 0 : sum / static_cast<double>(choice.rows.size()));
  }
  return mean;
}

TEST(DrawByScore, IsUnbiasedForTheMeanOverAllSamples) {
  const std::vector<double> x = {1, 0, 0, 5};
  for (const DrawMethod method : kMethods) {
    const Mean mean = Estimates(method, {1, 2, 3, 4}, 2, x);
    EXPECT_NEAR(mean.value(), 1.5, 4 * mean.standard_error()) << static_cast<int>(method);
    EXPECT_LT(mean.standard_error(), 0.02);
  }
}

TEST(DrawByScore, IsUnbiasedWithZerosWhenSmoothed) {
  const std::vector<double> x = {1, 7, 0, 5, 3};
  for (const DrawMethod method : kMethods) {
    const Mean mean = Estimates(method, {1, 0, 3, 4, 0}, 2, x, 0.5);
    EXPECT_NEAR(mean.value(), 3.2, 4 * mean.standard_error()) << static_cast<int>(method);
  }
}

TEST(DrawByScore, IsUnbiasedWhenFewerThanKScoresAreAboveZero) {
  const std::vector<double> x = {1, 7, 2, 5, 3};
  for (const DrawMethod method : kMethods) {
    const Mean mean = Estimates(method, {0, 0, 3, 0, 0}, 3, x);
    EXPECT_NEAR(mean.value(), 3.6, 4 * mean.standard_error()) << static_cast<int>(method);
  }
}

TEST(DrawByScore, WeighsSoThatTheSizeOfThePopulationIsEstimatedWithoutBias) {
  for (const DrawMethod method : kMethods) {
    const Mean mean = Estimates(method, {1, 2, 3, 4, 100}, 3, {1, 1, 1, 1, 1});
    EXPECT_NEAR(mean.value(), 1, 4 * mean.standard_error() + 1e-12) << static_cast<int>(method);
  }
}

// The share of the draws that held each row.
std::vector<double> Shares(const std::function<std::vector<int64_t>(const RandomKey&)>& draw,
                           size_t num_rows, int64_t draws) {
  std::vector<double> shares(num_rows, 0.0);
  for (int64_t seed = 0; seed < draws; ++seed) {
    for (const int64_t row : draw(SeedOfDraw(seed))) shares[static_cast<size_t>(row)] += 1;
  }
  for (double& share : shares) share /= static_cast<double>(draws);
  return shares;
}

void ExpectShares(const std::vector<double>& shares, const std::vector<double>& expected,
                  int64_t draws) {
  for (size_t row = 0; row < shares.size(); ++row) {
    const double deviation =
        std::sqrt(expected[row] * (1 - expected[row]) / static_cast<double>(draws));
    EXPECT_NEAR(shares[row], expected[row], 4 * deviation + 1e-12) << row;
  }
}

TEST(DrawByScore, IncludesRowsWithTheirProbabilities) {
  constexpr int64_t kDraws = 40'000;
  const std::vector<double> scores = {1, 2, 3, 4};
  for (const DrawMethod method : {DrawMethod::kPoisson, DrawMethod::kSystematic}) {
    const auto draw = [&](const RandomKey& random) {
      return DrawByScore(method, scores, 2, random).rows;
    };
    ExpectShares(Shares(draw, 4, kDraws), {0.2, 0.4, 0.6, 0.8}, kDraws);
  }
}

TEST(DrawByScore, HasTheWeightsOfPrioritySampling) {
  const std::vector<double> scores = {1, 2, 3, 4};
  for (int64_t seed = 0; seed < 100; ++seed) {
    const Choice choice = DrawByScore(DrawMethod::kPriority, scores, 2, SeedOfDraw(seed));
    std::vector<std::pair<double, size_t>> ranked;
    for (size_t i = 0; i < 4; ++i) {
      const double unit = UnitAboveZero(RandomBits(SeedOfDraw(seed), static_cast<int64_t>(i)));
      ranked.emplace_back(scores[i] / unit, i);
    }
    std::sort(ranked.rbegin(), ranked.rend());
    for (size_t i = 0; i < 2; ++i) {
      const size_t row = ranked[i].second;
      const auto at = std::find(choice.rows.begin(), choice.rows.end(), static_cast<int64_t>(row));
      ASSERT_NE(at, choice.rows.end());
      EXPECT_NEAR(choice.weights[static_cast<size_t>(at - choice.rows.begin())],
                  2 * std::max(scores[row], ranked[2].first) / (scores[row] * 4), 1e-12);
    }
  }
}

TEST(DrawByScore, DrawsExactlyKByPriorityAndSystematically) {
  std::vector<double> scores(5000);
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = std::exp(static_cast<double>(i % 97) / 9);
  for (const int64_t k : {1, 7, 500, 4999}) {
    for (const DrawMethod method : {DrawMethod::kPriority, DrawMethod::kSystematic}) {
      const Choice choice = DrawByScore(method, scores, k, kRandomOfDraw);
      EXPECT_THAT(choice.rows, SizeIs(k));
      EXPECT_EQ(std::adjacent_find(choice.rows.begin(), choice.rows.end(), std::greater_equal<>()),
                choice.rows.end());
    }
  }
}

TEST(DrawByScore, LeavesOutScoresThatAreNone) {
  const std::vector<double> scores = {1, kNan, 2, -1, kInfinity, 3, 0, -kInfinity};
  for (const DrawMethod method : kMethods) {
    for (int64_t seed = 0; seed < 200; ++seed) {
      const Choice choice = DrawByScore(method, scores, 3, SeedOfDraw(seed), 0.1);
      EXPECT_EQ(choice.num_left_out, 4);
      for (const int64_t row : {1, 3, 4, 7}) EXPECT_THAT(choice.rows, Not(Contains(row)));
      EXPECT_THAT(choice.weights, Each(::testing::Gt(0)));
    }
  }
}

TEST(DrawByScore, TakesEverythingWithWeightOneWhenKIsTooLarge) {
  const std::vector<double> scores = {1, kNan, 0, 1e-300, 1e300};
  for (const DrawMethod method : kMethods) {
    for (const int64_t k : {4, 5, 1000}) {
      const Choice choice = DrawByScore(method, scores, k, kRandomOfDraw);
      EXPECT_THAT(choice.rows, ElementsAre(0, 2, 3, 4));
      EXPECT_THAT(choice.weights, Each(DoubleNear(1, 1e-15)));
    }
  }
}

TEST(DrawByScore, IsUniformWhenAllScoresAreZero) {
  constexpr int64_t kDraws = 20'000;
  const std::vector<double> scores(5, 0.0);
  for (const DrawMethod method : kMethods) {
    const auto draw = [&](const RandomKey& random) {
      const Choice choice = DrawByScore(method, scores, 2, random);
      if (method != DrawMethod::kPoisson) {
        EXPECT_THAT(choice.weights, ElementsAre(DoubleNear(1, 1e-15), DoubleNear(1, 1e-15)));
      }
      return choice.rows;
    };
    ExpectShares(Shares(draw, 5, kDraws), std::vector<double>(5, 0.4), kDraws);
  }
}

TEST(DrawByScore, OfNothingOrOfNoSamplesIsEmpty) {
  for (const DrawMethod method : kMethods) {
    EXPECT_THAT(DrawByScore(method, {}, 3, kRandomOfDraw).rows, IsEmpty());
    EXPECT_THAT(DrawByScore(method, std::vector<double>{1, 2}, 0, kRandomOfDraw).rows, IsEmpty());
    EXPECT_THAT(DrawByScore(method, std::vector<double>{1, 2}, -1, kRandomOfDraw).rows, IsEmpty());
    EXPECT_THAT(DrawByScore(method, std::vector<double>{kNan}, 1, kRandomOfDraw).rows, IsEmpty());
  }
}

TEST(DrawByScore, SurvivesScoresOfAllMagnitudes) {
  const std::vector<double> scores = {1.7e308, 1e290, 1e-320, 5e-324, 1, 1e-100};
  for (const DrawMethod method : kMethods) {
    for (int64_t seed = 0; seed < 500; ++seed) {
      const Choice choice = DrawByScore(method, scores, 3, SeedOfDraw(seed));
      for (const double weight : choice.weights) {
        EXPECT_TRUE(std::isfinite(weight) && weight > 0);
      }
    }
  }
}

TEST(DrawByScore, DependsOnIdsNotOnPlaces) {
  std::vector<double> scores(200);
  std::vector<int64_t> ids(200);
  for (size_t i = 0; i < 200; ++i) {
    scores[i] = static_cast<double>(1 + i % 13);
    ids[i] = static_cast<int64_t>(1000 + i);
  }
  for (const DrawMethod method : {DrawMethod::kPriority, DrawMethod::kPoisson}) {
    const Choice forward = DrawByScore(method, scores, 20, kRandomOfDraw, 0, ids);
    std::vector<double> reversed_scores(scores.rbegin(), scores.rend());
    std::vector<int64_t> reversed_ids(ids.rbegin(), ids.rend());
    Choice backward = DrawByScore(method, reversed_scores, 20, kRandomOfDraw, 0, reversed_ids);
    std::reverse(backward.rows.begin(), backward.rows.end());
    for (int64_t& row : backward.rows) row = 199 - row;
    EXPECT_EQ(forward.rows, backward.rows);
  }
}

TEST(DrawByScore, BoundsWeightsBySmoothing) {
  std::vector<double> scores(1000, 0.0);
  scores[0] = 1000;
  for (int64_t seed = 0; seed < 50; ++seed) {
    const Choice choice = DrawByScore(DrawMethod::kSystematic, scores, 100, SeedOfDraw(seed), 0.1);
    EXPECT_THAT(choice.weights, Each(::testing::Le(1.1 / 0.1 + 1e-9)));
  }
}

TEST(PrioritySketch, OfAStreamInPiecesIsThatOfTheWhole) {
  std::vector<double> scores(3000);
  std::vector<int64_t> ids(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = i % 50 == 0 ? kNan : static_cast<double>(i % 40);
    ids[i] = static_cast<int64_t>(i * 3 + 5);
  }
  PrioritySketch whole(60, kRandomOfDraw);
  whole.Add(ids, scores, 0);
  PrioritySketch in_pieces(60, kRandomOfDraw);
  for (size_t i = 0; i < scores.size(); ++i) {
    in_pieces.Add({&ids[i], 1}, {&scores[i], 1}, static_cast<int64_t>(i));
  }
  EXPECT_EQ(in_pieces.num_left_out(), 60);
  const auto expected = whole.Finish();
  const auto drawn = in_pieces.Finish();
  EXPECT_THAT(drawn.choice.rows, SizeIs(60));
  EXPECT_EQ(drawn.choice.rows, expected.choice.rows);
  EXPECT_EQ(drawn.choice.weights, expected.choice.weights);
  EXPECT_EQ(drawn.ids, expected.ids);
  EXPECT_EQ(expected.choice.rows,
            DrawByScore(DrawMethod::kPriority, scores, 60, kRandomOfDraw, 0, ids).rows);
}

TEST(InclusionProbabilities, AddUpToKWithCappedOnes) {
  const std::vector<double> p = InclusionProbabilities(std::vector<double>{1, 2, 3, 100, 1000}, 3);
  EXPECT_THAT(p, ElementsAre(DoubleNear(1.0 / 6, 1e-15), DoubleNear(1.0 / 3, 1e-15),
                             DoubleNear(0.5, 1e-15), 1, 1));
  std::vector<double> geometric(60);
  for (size_t i = 0; i < 60; ++i) geometric[i] = std::exp2(static_cast<double>(i) * 10);
  const std::vector<double> q = InclusionProbabilities(geometric, 30);
  EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 30, 1e-9);
  EXPECT_THAT(std::vector<double>(q.begin() + 31, q.end()), Each(1));
}

TEST(DrawUniformly, IncludesEachRowAsOftenAndTakesAllOfFew) {
  constexpr int64_t kDraws = 20'000;
  const auto draw = [](const RandomKey& random) { return DrawUniformly(10, 3, random); };
  ExpectShares(Shares(draw, 10, kDraws), std::vector<double>(10, 0.3), kDraws);
  EXPECT_THAT(DrawUniformly(3, 9, kRandomOfDraw), ElementsAre(0, 1, 2));
  EXPECT_THAT(DrawUniformly(0, 9, kRandomOfDraw), IsEmpty());
  EXPECT_THAT(DrawUniformly(3, 0, kRandomOfDraw), IsEmpty());
}

TEST(TopK, TakesTheBestFirstAndTheLowerRowOfEqualOnes) {
  const std::vector<double> scores = {2, 3, kNan, 3, -1, 2, kInfinity};
  EXPECT_THAT(TopK(scores, 3).rows, ElementsAre(1, 3, 0));
  EXPECT_THAT(TopK(scores, 3, Best::kSmallest).rows, ElementsAre(4, 0, 5));
  EXPECT_EQ(TopK(scores, 3).num_left_out, 2);
  EXPECT_THAT(TopK(scores, 99).rows, ElementsAre(1, 3, 0, 5, 4));
  EXPECT_THAT(TopK(scores, 0).rows, IsEmpty());
  EXPECT_THAT(TopK({}, 2).rows, IsEmpty());
  EXPECT_THAT(TopK(std::vector<double>(5, 1.0), 2).rows, ElementsAre(0, 1));
}

TEST(TopK, TakesWhatRhoLossTakes) {
  const std::vector<double> excess = {2 - 1.9, 0.5 - 0.1, 3 - 0.5, 1 - 1.2};
  EXPECT_THAT(TopK(excess, 2).rows, ElementsAre(2, 1));
}

}  // namespace
}  // namespace tidemill::subsets
