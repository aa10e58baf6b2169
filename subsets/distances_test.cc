#include "subsets/distances.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/testing/random_rows.h"
#include "subsets/usable_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using testing::OwnedRows;
using testing::RandomRows;

double Reference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

TEST(Distances, AreThoseOfAPlainLoopForAnyWidth) {
  for (const int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 264, 515}) {
    const OwnedRows owned = RandomRows(11, width, width);
    const Rows rows = owned.rows();
    std::vector<float> distances(9);
    SquaredDistances(rows.Row(3), rows, 2, distances);
    for (int64_t row = 2; row < 11; ++row) {
      const double expected = Reference(rows.Row(3), rows.Row(row));
      EXPECT_NEAR(distances[static_cast<size_t>(row - 2)], expected, 1e-5 * expected) << width;
      // Whatever the other rows are.
      EXPECT_EQ(distances[static_cast<size_t>(row - 2)],
                SquaredDistance(rows.Row(row), rows.Row(3)));
    }
  }
}

TEST(Distances, OfAllPairsDoNotDependOnThreadsOrNeighbours) {
  const OwnedRows owned = RandomRows(203, 13, 1);
  const Rows rows = owned.rows();
  WorkerPool pool("distances", 3);
  const PairMatrix one = Distances(rows, nullptr);
  const PairMatrix four = Distances(rows, &pool);
  for (int64_t i = 0; i < 203; ++i) {
    for (int64_t j = 0; j < 203; ++j) {
      const auto at = static_cast<size_t>(j);
      EXPECT_EQ(one.Row(i)[at], four.Row(i)[at]);
      EXPECT_EQ(one.Row(i)[at], std::sqrt(SquaredDistance(rows.Row(i), rows.Row(j))));
    }
  }
}

TEST(Distances, ShiftedAreGreatestOfTheSame) {
  const std::vector<float> points = {0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 7};
  const PairMatrix similarity = ShiftedDistances({points, 6, 2}, nullptr);
  EXPECT_NEAR(similarity.Row(0)[0], 8.603325267, 1e-6);
  EXPECT_NEAR(similarity.Row(0)[1], 7.603325267, 1e-6);
  EXPECT_NEAR(similarity.Row(0)[5], 1e-3, 1e-6);
}

TEST(CosineSimilarities, AreBetweenZeroAndOne) {
  const std::vector<float> points = {1, 0, -2, 0, 0, 3, 0, 0};
  const PairMatrix similarity = CosineSimilarities({points, 4, 2}, nullptr);
  EXPECT_THAT(similarity.Row(0), ElementsAre(1, 0, 0.5F, 0.5F));
  EXPECT_THAT(similarity.Row(3), ElementsAre(0.5F, 0.5F, 0.5F, 1));  // A row of zeros.
}

TEST(FindNearest, TakesTheFirstOfEquallyNearOnes) {
  const std::vector<float> points = {0, 1, 2, 9};
  const std::vector<float> centers = {1, 3, -1, 1};
  WorkerPool pool("nearest", 3);
  for (WorkerPool* const some : {static_cast<WorkerPool*>(nullptr), &pool}) {
    const Nearest nearest = FindNearest({points, 4, 1}, {centers, 4, 1}, some);
    EXPECT_THAT(nearest.rows, ElementsAre(0, 0, 0, 1));
    EXPECT_THAT(nearest.squared_distances, ElementsAre(1, 0, 1, 36));
  }
}

TEST(UsableRows, AreTheRowsThemselvesWhenAllAreFinite) {
  const OwnedRows owned = RandomRows(5, 3, 1);
  const UsableRows usable(owned.rows());
  EXPECT_EQ(usable.rows().values.data(), owned.values.data());
  EXPECT_EQ(usable.num_left_out(), 0);
  EXPECT_EQ(usable.Original(4), 4);
}

TEST(UsableRows, LeaveOutWhatDistancesCannotBeComputedOf) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1, 2, nan, 2, 3, 4, 0, -infinity, 1e19F, 0, 5, 6};
  const UsableRows usable({values, 6, 2});
  EXPECT_EQ(usable.num_left_out(), 3);
  EXPECT_THAT(usable.rows().values, ElementsAre(1, 2, 3, 4, 5, 6));
  const Choice choice = usable.ToOriginal({.rows = {2, 0}, .weights = {}, .num_left_out = 1});
  EXPECT_THAT(choice.rows, ElementsAre(5, 0));
  EXPECT_EQ(choice.num_left_out, 4);
}

}  // namespace
}  // namespace tidemill::subsets
