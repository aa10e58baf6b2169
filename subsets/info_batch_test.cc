#include "subsets/info_batch.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/testing/special_numbers.h"

namespace tidemill::subsets {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kInfinity;
using testing::kNan;
using ::testing::SizeIs;

const std::vector<float> kHalfWellLearnt = {0.1F, 0.2F, 0.3F, 1, 2, 3};

RandomKey SeedOfPruning(int64_t seed) { return {.seed = seed, .purpose = "info_batch_test"}; }

TEST(InfoBatch, KeepsHalfOfTheWellLearntAtTwiceTheWeight) {
  const Choice choice = LeaveOutWellLearnt(kHalfWellLearnt, 0.5, SeedOfPruning(1));
  ASSERT_THAT(choice.rows, SizeIs(4));
  EXPECT_THAT(choice.weights, ElementsAre(2, 2, 1, 1));
  EXPECT_EQ(choice.rows[2], 4);
  EXPECT_EQ(choice.rows[3], 5);
}

TEST(InfoBatch, IsUnbiasedAlsoWhenTheShareIsNotWhole) {
  for (const double prune : {0.5, 0.3, 0.9}) {
    double sum = 0;
    double squares = 0;
    constexpr int64_t kDraws = 20'000;
    for (int64_t seed = 0; seed < kDraws; ++seed) {
      const Choice choice = LeaveOutWellLearnt(kHalfWellLearnt, prune, SeedOfPruning(seed));
      double estimate = 0;
      for (size_t i = 0; i < choice.rows.size(); ++i) {
        estimate += choice.weights[i] * static_cast<double>(choice.rows[i] + 1) / 6;
      }
      sum += estimate;
      squares += estimate * estimate;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 3.5, 4 * std::sqrt((squares / kDraws - mean * mean) / kDraws));
  }
}

TEST(InfoBatch, KeepsRowsThatWereNotSeenOrHaveNoLoss) {
  const std::vector<float> losses = {kNan, 0, kInfinity, 1, -kInfinity};
  const Choice choice = LeaveOutWellLearnt(losses, 0.99, SeedOfPruning(1));
  EXPECT_THAT(choice.rows, ElementsAre(0, 1, 2, 3, 4));  // One below the mean is kept.
  EXPECT_THAT(choice.weights, Each(1));
  EXPECT_THAT(LeaveOutWellLearnt(std::vector<float>(4, kNan), 0.5, SeedOfPruning(1)).rows,
              SizeIs(4));
}

TEST(InfoBatch, KeepsAllWhenLossesAreEqualOrNothingIsToGo) {
  EXPECT_THAT(LeaveOutWellLearnt(std::vector<float>(7, 0.1F), 0.5, SeedOfPruning(1)).rows,
              SizeIs(7));
  EXPECT_THAT(LeaveOutWellLearnt(std::vector<float>(7, 0.0F), 0.5, SeedOfPruning(1)).rows,
              SizeIs(7));
  const Choice all = LeaveOutWellLearnt(kHalfWellLearnt, 0, SeedOfPruning(1));
  EXPECT_THAT(all.rows, SizeIs(6));
  EXPECT_THAT(all.weights, Each(1));
  EXPECT_THAT(LeaveOutWellLearnt({}, 0.5, SeedOfPruning(1)).rows, IsEmpty());
}

TEST(InfoBatch, DrawsOthersWithAnotherSeed) {
  std::vector<int64_t> seen(6, 0);
  for (int64_t seed = 0; seed < 50; ++seed) {
    for (const int64_t row : LeaveOutWellLearnt(kHalfWellLearnt, 0.5, SeedOfPruning(seed)).rows) {
      ++seen[static_cast<size_t>(row)];
    }
  }
  EXPECT_THAT(seen, Each(::testing::Gt(5)));
}

}  // namespace
}  // namespace tidemill::subsets
