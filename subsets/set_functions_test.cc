#include "subsets/set_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "subsets/greedy.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;
using ::testing::SizeIs;

const std::vector<float> kPoints = {0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 7};
const Rows kInThePlane{kPoints, 6, 2};

// exp(-d^2 / 4).
PairMatrix Kernel(const Rows& rows) {
  PairMatrix kernel = Distances(rows, nullptr);
  for (int64_t i = 0; i < kernel.size(); ++i) {
    for (float& value : kernel.MutableRow(i)) value = std::exp(-value * value / 4);
  }
  return kernel;
}

void ExpectNear(const std::vector<double>& values, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

TEST(FacilityLocation, ChoosesAsTheReference) {
  const PairMatrix similarity = ShiftedDistances(kInThePlane, nullptr);
  FacilityLocation function(similarity);
  const GreedyResult result = Maximise(function, 3);
  EXPECT_THAT(result.rows, ElementsAre(3, 0, 5));
  ExpectNear(result.gains, {28.742635315524588, 17.877316286731173, 2.0}, 1e-5);
  EXPECT_NEAR(result.value(), 48.61995160225576, 1e-5);
  EXPECT_THAT(function.NumNearest(), ElementsAre(3, 0, 0, 2, 0, 1));
}

TEST(FacilityLocation, CountsAddUpToTheNumberOfRowsAndAChosenRowIsItsOwn) {
  const std::vector<float> same(40, 1.0F);
  const PairMatrix similarity = ShiftedDistances({same, 20, 2}, nullptr);
  FacilityLocation function(similarity);
  const GreedyResult result = Maximise(function, 4);
  EXPECT_THAT(result.rows, ElementsAre(0, 1, 2, 3));
  const auto counts = function.NumNearest();
  EXPECT_EQ(counts[0], 17);
  EXPECT_EQ(counts[3], 1);
}

TEST(FacilityLocation, GivesTheSameGainsInLotsOfAnySize) {
  const OwnedRows owned = RandomRows(150, 3, 2);
  const PairMatrix similarity = ShiftedDistances(owned.rows(), nullptr);
  FacilityLocation function(similarity);
  function.Add(77);
  std::vector<int64_t> rows(150);
  std::iota(rows.begin(), rows.end(), int64_t{0});
  std::vector<double> all(150);
  function.Gains(rows, all);
  for (const size_t lot : {1, 7, 64}) {
    for (size_t from = 0; from < rows.size(); from += lot) {
      const auto some = std::span(rows).subspan(from, std::min(lot, rows.size() - from));
      std::vector<double> gains(some.size());
      function.Gains(some, gains);
      for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(gains[i], all[from + i]);
    }
  }
}

TEST(FacilityLocation, WithCountsIsThatOfRepeatedRows) {
  const std::vector<float> distinct = {0, 3, 10, 11};
  const std::vector<float> counts = {1, 4, 2, 1};
  const std::vector<float> repeated = {0, 3, 3, 3, 3, 10, 10, 11};
  const std::vector<int64_t> firsts = {0, 1, 5, 7};
  const PairMatrix few = ShiftedDistances({distinct, 4, 1}, nullptr);
  const PairMatrix many = ShiftedDistances({repeated, 8, 1}, nullptr);
  FacilityLocation counted(few, nullptr, counts);
  FacilityLocation plain(many);
  const GreedyResult expected = Maximise(plain, 2);
  const GreedyResult found = Maximise(counted, 2);
  ExpectNear(found.gains, expected.gains, 1e-4);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(firsts[static_cast<size_t>(found.rows[i])], expected.rows[i]);
  }
  EXPECT_THAT(counted.NumNearest(), ElementsAre(0, 5, 3, 0));
}

TEST(GraphCut, ChoosesAsTheReference) {
  const PairMatrix kernel = Kernel(kInThePlane);
  GraphCut monotone(kernel, 0.4);
  const GreedyResult result = Maximise(monotone, 3);
  EXPECT_THAT(result.rows, ElementsAre(0, 3, 1));
  ExpectNear(result.gains, {2.157606, 1.746752, 1.362302}, 1e-5);
  EXPECT_NEAR(result.value(), 5.26665890, 1e-5);
  GraphCut other(kernel, 1);
  const GreedyResult cut = Maximise(other, 3);
  EXPECT_THAT(cut.rows, ElementsAre(0, 3, 5));
  ExpectNear(cut.gains, {1.557606, 1.146747, -0.081374}, 1e-5);
  GraphCut stopped(kernel, 1);
  EXPECT_THAT(Maximise(stopped, 3, {.search = Search::kLazy, .only_gains = true}).rows,
              ElementsAre(0, 3));
}

TEST(LogDeterminant, ChoosesWhatIsUnlikeNotWhatIsAlike) {
  const PairMatrix kernel = Kernel(kInThePlane);
  LogDeterminant function(kernel);
  const GreedyResult result = Maximise(function, 3);
  ASSERT_THAT(result.rows, SizeIs(3));
  EXPECT_EQ(result.rows[0], 0);
  EXPECT_GE(result.rows[1], 3);  // A row of the other cluster.
  EXPECT_GT(result.gains[0] + result.gains[1], -1e-11);
  EXPECT_NEAR(result.value(), -0.0856504837, 1e-5);
}

TEST(LogDeterminant, GivesRowsThatAreExplainedTheLeastGain) {
  const std::vector<float> points = {1, 0, 2, 0, 0, 1, 3, 0, 0, 5};
  const PairMatrix kernel = CosineSimilarities({points, 5, 2}, nullptr);
  LogDeterminant function(kernel);
  const GreedyResult result = Maximise(function, 5);
  EXPECT_THAT(result.rows, ElementsAre(0, 2, 1, 3, 4));
  EXPECT_NEAR(result.gains[1], std::log(0.75), 1e-6);
  for (size_t i = 2; i < 5; ++i) EXPECT_NEAR(result.gains[i], std::log(1e-12), 1e-6);
}

// f of a set, by its definition.
double FacilityLocationOf(const PairMatrix& s, const std::vector<int64_t>& set) {
  double sum = 0;
  for (int64_t i = 0; i < s.size(); ++i) {
    double best = 0;
    for (const int64_t j : set) best = std::max<double>(best, s.Row(j)[static_cast<size_t>(i)]);
    sum += best;
  }
  return sum;
}
double GraphCutOf(const PairMatrix& s, double lambda, const std::vector<int64_t>& set) {
  double sum = 0;
  for (const int64_t j : set) {
    for (int64_t i = 0; i < s.size(); ++i) sum += s.Row(j)[static_cast<size_t>(i)];
    for (const int64_t i : set) sum -= lambda * s.Row(j)[static_cast<size_t>(i)];
  }
  return sum;
}
double LogDeterminantOf(const PairMatrix& s, const std::vector<int64_t>& set) {
  const auto size = static_cast<Eigen::Index>(set.size());
  if (size == 0) return 0;
  Eigen::MatrixXd kernel(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      kernel(i, j) =
          s.Row(set[static_cast<size_t>(i)])[static_cast<size_t>(set[static_cast<size_t>(j)])];
    }
    kernel(i, i) += 1e-12;
  }
  return kernel.ldlt().vectorD().array().log().sum();
}

// Along a random chain: each gain is the difference of f, and none increases.
template <typename Function, typename Value>
void ExpectSubmodular(Function function, Value&& value, int64_t seed, double tolerance) {
  const RandomKey key{.seed = seed, .purpose = "chain"};
  const Permutation order(key, function.size());
  std::vector<int64_t> all(static_cast<size_t>(function.size()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  std::vector<int64_t> set;
  std::vector<double> before(all.size(), 1e300);
  for (int64_t step = 0; step < function.size() / 2; ++step) {
    std::vector<double> gains(all.size());
    function.Gains(all, gains);
    for (const int64_t row : all) {
      if (std::find(set.begin(), set.end(), row) != set.end()) continue;
      const auto at = static_cast<size_t>(row);
      EXPECT_LE(gains[at], before[at]);  // Exactly: kLazy relies on it.
      std::vector<int64_t> with = set;
      with.push_back(row);
      EXPECT_NEAR(gains[at], value(with) - value(set), tolerance);
    }
    before = gains;
    function.Add(order(step));
    set.push_back(order(step));
  }
}

TEST(SetFunctions, HaveGainsThatAreDifferencesAndNeverIncrease) {
  for (int64_t seed = 0; seed < 20; ++seed) {
    const OwnedRows owned = RandomRows(16, 3, seed);
    const PairMatrix s = ShiftedDistances(owned.rows(), nullptr);
    const PairMatrix k = Kernel(owned.rows());
    ExpectSubmodular(
        FacilityLocation(s), [&](const auto& set) { return FacilityLocationOf(s, set); }, seed,
        1e-4);
    for (const double lambda : {0.4, 1.0}) {
      ExpectSubmodular(
          GraphCut(s, lambda), [&](const auto& set) { return GraphCutOf(s, lambda, set); }, seed,
          1e-4);
    }
    ExpectSubmodular(
        LogDeterminant(k), [&](const auto& set) { return LogDeterminantOf(k, set); }, seed, 1e-3);
  }
}

TEST(SetFunctions, DoNotDependOnThreads) {
  const OwnedRows owned = RandomRows(300, 8, 4, 10);
  WorkerPool pool("set_functions", 3);
  const PairMatrix similarity = CosineSimilarities(owned.rows(), nullptr);
  FacilityLocation alone(similarity);
  FacilityLocation shared(similarity, &pool);
  const GreedyResult one = Maximise(alone, 40);
  const GreedyResult four = Maximise(shared, 40);
  EXPECT_EQ(one.rows, four.rows);
  EXPECT_EQ(one.gains, four.gains);
  LogDeterminant log_alone(similarity);
  LogDeterminant log_shared(similarity, &pool);
  EXPECT_EQ(Maximise(log_alone, 40).gains, Maximise(log_shared, 40).gains);
}

TEST(SetFunctionDeathTest, AddsOnlyItsOwnRows) {
  const PairMatrix kernel = Kernel(kInThePlane);
  FacilityLocation function(kernel);
  EXPECT_DEATH(function.Add(6), "row < size");
  std::vector<double> too_few(1);
  EXPECT_DEATH(function.Gains(std::vector<int64_t>{0, 1}, too_few), "gains.size");
}

}  // namespace
}  // namespace tidemill::subsets
