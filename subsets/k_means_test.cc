#include "subsets/k_means.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/distances.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;
using ::testing::SizeIs;

KMeansOptions Options(int64_t num_clusters, int64_t seed = 1) {
  return {.num_clusters = num_clusters,
          .iterations = 50,
          .random = {.seed = seed, .purpose = "k_means_test"}};
}

TEST(KMeans, FindsGroupsThatAreFarApart) {
  const std::vector<float> points = {0, 0.1F, 0.2F, 10, 10.1F, 10.2F, 50, 50.1F};
  for (int64_t seed = 0; seed < 20; ++seed) {
    const Clusters clusters = FindClusters({points, 8, 1}, Options(3, seed));
    const auto& of = clusters.of_row;
    EXPECT_TRUE(of[0] == of[1] && of[1] == of[2]);
    EXPECT_TRUE(of[3] == of[4] && of[4] == of[5]);
    EXPECT_EQ(of[6], of[7]);
    EXPECT_EQ(std::set<int64_t>(of.begin(), of.end()).size(), 3);
  }
}

TEST(KMeans, GivesEachRowItsNearestCenterAndEachClusterItsMembers) {
  const OwnedRows owned = RandomRows(500, 4, 3);
  const Clusters clusters = FindClusters(owned.rows(), Options(20));
  const Nearest nearest = FindNearest(owned.rows(), {clusters.centers, 20, 4}, nullptr);
  EXPECT_EQ(nearest.squared_distances, clusters.distances);
  int64_t total = 0;
  for (size_t c = 0; c < 20; ++c) {
    EXPECT_EQ(clusters.begins[c + 1] - clusters.begins[c], clusters.sizes[c]);
    EXPECT_GE(clusters.sizes[c], 1);
    total += clusters.sizes[c];
    for (int64_t i = clusters.begins[c]; i < clusters.begins[c + 1]; ++i) {
      const auto row = static_cast<size_t>(clusters.members[static_cast<size_t>(i)]);
      EXPECT_EQ(clusters.of_row[row], static_cast<int64_t>(c));
    }
  }
  EXPECT_EQ(total, 500);
}

TEST(KMeans, NeverGetsWorseWithMoreIterations) {
  const OwnedRows owned = RandomRows(400, 3, 8);
  double before = 1e300;
  for (int64_t iterations = 0; iterations < 8; ++iterations) {
    KMeansOptions options = Options(10);
    options.iterations = iterations;
    const Clusters clusters = FindClusters(owned.rows(), options);
    const double error = std::accumulate(clusters.distances.begin(), clusters.distances.end(), 0.0);
    EXPECT_LE(error, before * (1 + 1e-6));
    before = error;
  }
}

TEST(KMeans, LeavesNoClusterEmptyEvenOfEqualRows) {
  const std::vector<float> same(30, 2.0F);
  const Clusters clusters = FindClusters({same, 10, 3}, Options(4));
  EXPECT_THAT(clusters.sizes, Each(::testing::Ge(1)));
  EXPECT_EQ(std::accumulate(clusters.sizes.begin(), clusters.sizes.end(), int64_t{0}), 10);
  EXPECT_THAT(FindClusters({{}, 0, 3}, Options(4)).of_row, IsEmpty());
  EXPECT_THAT(FindClusters({same, 10, 3}, Options(99)).sizes, SizeIs(10));
}

TEST(KMeans, DoesNotDependOnThreads) {
  const OwnedRows owned = RandomRows(3000, 5, 2, 25);
  WorkerPool pool("k_means", 3);
  const Clusters one = FindClusters(owned.rows(), Options(60));
  const Clusters four = FindClusters(owned.rows(), Options(60), &pool);
  EXPECT_EQ(one.of_row, four.of_row);
  EXPECT_EQ(one.centers, four.centers);
}

TEST(KMedoids, AreTheMiddlesOfClustersWeighedByTheirSizes) {
  const std::vector<float> points = {0, 1, 2, 10, 11, 12, 13, 14, 50};
  const Choice choice = FindMedoids({points, 9, 1}, Options(3));
  std::vector<std::pair<int64_t, double>> pairs;
  for (size_t i = 0; i < 3; ++i) pairs.emplace_back(choice.rows[i], choice.weights[i]);
  std::sort(pairs.begin(), pairs.end());
  using ::testing::Pair;
  EXPECT_THAT(pairs, ElementsAre(Pair(1, 1), Pair(5, ::testing::DoubleNear(5.0 / 3, 1e-12)),
                                 Pair(8, ::testing::DoubleNear(1.0 / 3, 1e-12))));
}

TEST(KMedoids, AreDistinctAndAllWhenKIsTooLarge) {
  const std::vector<float> same(10, 2.0F);
  Choice choice = FindMedoids({same, 10, 1}, Options(4));
  EXPECT_EQ(std::set<int64_t>(choice.rows.begin(), choice.rows.end()).size(), 4);
  EXPECT_NEAR(std::accumulate(choice.weights.begin(), choice.weights.end(), 0.0), 4, 1e-12);
  choice = FindMedoids({same, 10, 1}, Options(10));
  EXPECT_THAT(choice.rows, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(choice.weights, Each(1));
  EXPECT_THAT(FindMedoids({{}, 0, 1}, Options(3)).rows, IsEmpty());
  EXPECT_THAT(FindMedoids({same, 1, 1}, Options(3)).rows, ElementsAre(0));
}

}  // namespace
}  // namespace tidemill::subsets
