#include "subsets/k_center.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/distances.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;

const std::vector<float> kLine = {0, 1, 2, 10, 11, 20};
const Rows kOnALine{kLine, 6, 1};

TEST(KCenter, ChoosesAsTheReference) {
  const Centers centers = FindCenters(kOnALine, 4, 0);
  EXPECT_THAT(centers.choice.rows, ElementsAre(0, 5, 3, 2));
  EXPECT_THAT(centers.radii, ElementsAre(20, 10, 2, 1));
  EXPECT_THAT(centers.sizes, ElementsAre(2, 1, 2, 1));  // 1 is as near to 0 as to 2.
}

TEST(KCenter, StartsNearestToTheMean) {
  EXPECT_EQ(NearestToMean(kOnALine), 3);                                 // The mean is 7.33.
  EXPECT_THAT(FindCenters(kOnALine, 2).choice.rows, ElementsAre(3, 0));  // 0 and 20 are as far.
}

double RadiusOf(const Rows& rows, const std::vector<int64_t>& centers) {
  double radius = 0;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    double nearest = 1e300;
    for (const int64_t center : centers) {
      nearest = std::min<double>(nearest, SquaredDistance(rows.Row(row), rows.Row(center)));
    }
    radius = std::max(radius, std::sqrt(nearest));
  }
  return radius;
}

TEST(KCenter, HasAtMostTwiceTheBestRadius) {
  for (int64_t seed = 0; seed < 30; ++seed) {
    const OwnedRows owned = RandomRows(11, 2, seed);
    const Rows rows = owned.rows();
    const int64_t k = 1 + seed % 4;
    double best = 1e300;
    for (uint32_t set = 1; set < (1U << 11); ++set) {
      if (std::popcount(set) != k) continue;
      std::vector<int64_t> centers;
      for (int64_t row = 0; row < 11; ++row) {
        if ((set >> row & 1U) != 0) centers.push_back(row);
      }
      best = std::min(best, RadiusOf(rows, centers));
    }
    const Centers centers = FindCenters(rows, k);
    EXPECT_NEAR(centers.radii.back(), RadiusOf(rows, centers.choice.rows), 1e-6);
    EXPECT_LE(centers.radii.back(), 2 * best + 1e-6);
    for (size_t i = 0; i < centers.choice.rows.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_GE(std::sqrt(SquaredDistance(rows.Row(centers.choice.rows[i]),
                                            rows.Row(centers.choice.rows[j]))),
                  centers.radii.back() - 1e-6);
      }
    }
  }
}

TEST(KCenter, TakesDuplicatesAfterEverythingElse) {
  const std::vector<float> points = {5, 5, 5, 1, 5, 9};
  const Centers centers = FindCenters({points, 6, 1}, 6, 0);
  EXPECT_THAT(centers.choice.rows, ElementsAre(0, 3, 5, 1, 2, 4));
  EXPECT_THAT(centers.radii, ElementsAre(4, 4, 0, 0, 0, 0));
  EXPECT_EQ(std::accumulate(centers.sizes.begin(), centers.sizes.end(), int64_t{0}), 6);
  EXPECT_THAT(centers.sizes, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(FindCenters({points, 6, 1}, 99).choice.rows, ::testing::SizeIs(6));
}

TEST(KCenter, OfNoneOrOneIsThat) {
  EXPECT_THAT(FindCenters({{}, 0, 3}, 4).choice.rows, IsEmpty());
  EXPECT_THAT(FindCenters(kOnALine, 0).choice.rows, IsEmpty());
  const std::vector<float> one = {4};
  EXPECT_THAT(FindCenters({one, 1, 1}, 4).choice.rows, ElementsAre(0));
}

TEST(KCenter, DoesNotDependOnThreads) {
  const OwnedRows owned = RandomRows(5000, 6, 2, 30);
  WorkerPool pool("k_center", 3);
  const Centers one = FindCenters(owned.rows(), 100);
  const Centers four = FindCenters(owned.rows(), 100, std::nullopt, &pool);
  EXPECT_EQ(one.choice.rows, four.choice.rows);
  EXPECT_EQ(one.radii, four.radii);
  EXPECT_EQ(one.sizes, four.sizes);
}

}  // namespace
}  // namespace tidemill::subsets
