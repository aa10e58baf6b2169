#include "supervisor/statistics/two_samples/binned.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(Binned, AgreesWithSciPy) {
  const auto& known = Vectors().at("binned");
  const auto p = Numbers(known.at("p")), q = Numbers(known.at("q"));
  EXPECT_THAT(KullbackLeibler(p, q), IsNear(known.at("kl").get<double>()));
  EXPECT_THAT(KullbackLeibler(q, p), IsNear(known.at("kl_rev").get<double>()));
  const double distance = JensenShannonDistance(p, q);
  EXPECT_THAT(distance, IsNear(known.at("js_dist").get<double>()));
  EXPECT_THAT(distance * distance, IsNear(known.at("js_div").get<double>()));
  EXPECT_THAT(distance / std::sqrt(std::numbers::ln2),
              IsNear(known.at("js_dist_base2").get<double>()));
  EXPECT_THAT(HellingerDistance(p, q), IsNear(known.at("hellinger").get<double>()));
  EXPECT_THAT(PopulationStability(p, q), IsNear(known.at("psi").get<double>()));
}

TEST(Binned, AgreesWithEvidentlyOnItsBins) {
  std::vector<double> reference, current;
  for (int i = 1; i <= 30; ++i) {
    reference.push_back(i);
    current.push_back(i + 5);
  }
  std::vector<double> edges;  // Seven bins of equal width, as Sturges has them.
  for (int i = 1; i < 7; ++i) edges.push_back(1 + 34.0 * i / 7);
  const auto x = CountIn(edges, reference), y = CountIn(edges, current);
  EXPECT_THAT(x, ElementsAre(5, 5, 5, 5, 5, 5, 0));
  EXPECT_THAT(y, ElementsAre(0, 5, 5, 5, 5, 5, 5));
  EXPECT_NEAR(PopulationStability(Shares(x, 1e-4), Shares(y, 1e-4)), 2.4713765847, 5e-11);
  // There shares are brought back to a sum of 1 for this one.
  EXPECT_NEAR(KullbackLeibler(Shares(x, 1e-4), Shares(y, 1e-4)) / 1.0001, 1.2355647359, 5e-11);
  EXPECT_NEAR(JensenShannonDistance(Shares(x), Shares(y)), 0.3398889967, 5e-11);
  EXPECT_NEAR(HellingerDistance(Shares(x), Shares(y)), 0.4082482905, 5e-11);
}

TEST(Binned, OfClassesAgreesWithEvidently) {
  const std::vector<int64_t> x = {16, 18, 16, 14, 12, 12}, y = {16, 16, 16, 16, 16, 8};
  EXPECT_NEAR(HellingerDistance(Shares(x), Shares(y)), 0.0681277437, 5e-11);
}

TEST(Binned, IsZeroForEqualSharesAndGreatestForDisjointOnes) {
  const std::vector<double> p = {0.5, 0.5, 0, 0}, q = {0, 0, 0.5, 0.5};
  EXPECT_EQ(JensenShannonDistance(p, p), 0);
  EXPECT_EQ(HellingerDistance(p, p), 0);
  EXPECT_EQ(PopulationStability(p, p), 0);
  EXPECT_THAT(JensenShannonDistance(p, q), IsNear(std::sqrt(std::numbers::ln2)));
  EXPECT_EQ(HellingerDistance(p, q), 1);
  EXPECT_EQ(KullbackLeibler(p, q), std::numeric_limits<double>::infinity());
}

TEST(Binned, CutsTheReferenceIntoEqualParts) {
  const std::vector<double> values = testing::Normals(1000, 4);
  EXPECT_THAT(CountIn(QuantileEdges(values, 10), values), ::testing::Each(100));
}

TEST(Binned, HasFewerBinsWhereValuesRepeat) {
  const std::vector<double> values = {0, 0, 0, 0, 1, 1, 2};
  EXPECT_THAT(QuantileEdges(values, 4), ElementsAre(1));
  EXPECT_THAT(QuantileEdges(std::vector<double>{3, 3, 3}, 4), IsEmpty());
}

TEST(Binned, CountsTheSameClassesOfBothWindows) {
  const ClassCounts counts =
      CountClasses(std::vector<double>{2, 1, 1, 7}, std::vector<double>{7, 7, 3});
  EXPECT_THAT(counts.reference, ElementsAre(2, 1, 0, 1));
  EXPECT_THAT(counts.current, ElementsAre(0, 0, 1, 2));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
