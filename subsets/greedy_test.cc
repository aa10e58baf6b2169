#include "subsets/greedy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/set_functions.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;
using ::testing::SizeIs;

constexpr Search kSearches[] = {Search::kNaive, Search::kLazy, Search::kApproximateLazy,
                                Search::kStochastic};

TEST(Greedy, LazyChoosesWhatNaiveDoesWithFarFewerEvaluations) {
  for (const int64_t clusters : {0, 12}) {
    const OwnedRows owned = RandomRows(300, 5, 7, clusters);
    const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
    FacilityLocation for_naive(similarity);
    FacilityLocation for_lazy(similarity);
    const GreedyResult naive = Maximise(for_naive, 30, {.search = Search::kNaive});
    const GreedyResult lazy = Maximise(for_lazy, 30);
    EXPECT_EQ(naive.rows, lazy.rows);
    EXPECT_EQ(naive.gains, lazy.gains);
    EXPECT_LT(lazy.num_evaluations, naive.num_evaluations / 2);
    EXPECT_TRUE(std::is_sorted(lazy.gains.rbegin(), lazy.gains.rend()));
  }
}

TEST(Greedy, LazyChoosesWhatNaiveDoesWithManyTies) {
  // Few distinct points and whole numbers: nearly every step is a tie.
  OwnedRows owned = RandomRows(120, 2, 3);
  for (float& value : owned.values) value = std::round(value * 2);
  const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
  FacilityLocation location_naive(similarity), location_lazy(similarity);
  EXPECT_EQ(Maximise(location_naive, 60, {.search = Search::kNaive}).rows,
            Maximise(location_lazy, 60).rows);
  GraphCut cut_naive(similarity, 0.4), cut_lazy(similarity, 0.4);
  EXPECT_EQ(Maximise(cut_naive, 60, {.search = Search::kNaive}).rows, Maximise(cut_lazy, 60).rows);
}

TEST(Greedy, ReachesTheGuaranteedShareOfTheBest) {
  for (int64_t seed = 0; seed < 30; ++seed) {
    const OwnedRows owned = RandomRows(10, 2, seed);
    const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
    double best = 0;
    for (uint32_t set = 0; set < 1024; ++set) {
      if (std::popcount(set) != 3) continue;
      FacilityLocation function(similarity);
      double value = 0;
      for (int64_t row = 0; row < 10; ++row) {
        if ((set >> row & 1U) == 0) continue;
        double gain = 0;
        function.Gains({&row, 1}, {&gain, 1});
        value += gain;
        function.Add(row);
      }
      best = std::max(best, value);
    }
    FacilityLocation function(similarity);
    const double found = Maximise(function, 3).value();
    EXPECT_LE(found, best + 1e-6);
    EXPECT_GE(found, (1 - std::exp(-1)) * best);
  }
}

TEST(Greedy, StochasticIsNearlyAsGoodOnAverageAndReproducible) {
  const OwnedRows owned = RandomRows(200, 4, 5);
  const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
  FacilityLocation exact(similarity);
  const double greedy = Maximise(exact, 20).value();
  double sum = 0;
  for (int64_t seed = 0; seed < 10; ++seed) {
    const GreedyOptions options{.search = Search::kStochastic,
                                .random = {.seed = seed, .purpose = "greedy"}};
    FacilityLocation first(similarity), second(similarity);
    const GreedyResult result = Maximise(first, 20, options);
    EXPECT_EQ(result.rows, Maximise(second, 20, options).rows);
    EXPECT_EQ(result.num_evaluations, 20 * 24);  // 10 log 10 = 23.03.
    EXPECT_THAT(result.rows, SizeIs(20));
    sum += result.value();
  }
  EXPECT_GT(sum / 10, (1 - 0.1 / (1 - std::exp(-1))) * greedy);
}

TEST(Greedy, ApproximateLazyGainsAtLeastItsShareAtEachStep) {
  const OwnedRows owned = RandomRows(200, 4, 6);
  const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
  FacilityLocation approximate(similarity);
  const GreedyResult result = Maximise(approximate, 20, {.search = Search::kApproximateLazy});
  FacilityLocation replay(similarity);
  std::vector<int64_t> all(200);
  std::iota(all.begin(), all.end(), int64_t{0});
  std::vector<double> gains(200);
  for (size_t i = 0; i < result.rows.size(); ++i) {
    replay.Gains(all, gains);
    EXPECT_GE(result.gains[i], 0.9 * *std::max_element(gains.begin(), gains.end()) - 1e-9);
    replay.Add(result.rows[i]);
  }
}

TEST(Greedy, ChoosesAllWhenKIsTooLargeAndNoneOfNone) {
  const OwnedRows owned = RandomRows(7, 2, 1);
  const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
  const PairMatrix nothing;
  for (const Search search : kSearches) {
    FacilityLocation function(similarity);
    auto rows = Maximise(function, 50, {.search = search}).rows;
    std::sort(rows.begin(), rows.end());
    EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 4, 5, 6));
    FacilityLocation empty(nothing);
    EXPECT_THAT(Maximise(empty, 3, {.search = search}).rows, IsEmpty());
    FacilityLocation zero(similarity);
    EXPECT_THAT(Maximise(zero, 0, {.search = search}).rows, IsEmpty());
    FacilityLocation negative(similarity);
    EXPECT_THAT(Maximise(negative, -1, {.search = search}).rows, IsEmpty());
  }
}

}  // namespace
}  // namespace tidemill::subsets
