#include "supervisor/statistics/two_samples/distances.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::IsNear;
using testing::Numbers;
using testing::Vectors;

TEST(Distances, AgreeWithSciPy) {
  for (const auto& known : Vectors().at("two_sample")) {
    const auto x = Numbers(known.at("x")), y = Numbers(known.at("y"));
    EXPECT_THAT(WassersteinDistance(x, y), IsNear(known.at("w1").get<double>()));
    EXPECT_THAT(EnergyDistance(x, y), IsNear(known.at("energy").get<double>()));
    EXPECT_THAT(WassersteinDistance(y, x), IsNear(known.at("w1").get<double>()));
    EXPECT_EQ(WassersteinDistance(x, x), 0);
    EXPECT_EQ(EnergyDistance(y, y), 0);
  }
}

TEST(Distances, OfEnergyAreThoseOfAllPairs) {
  const auto x = testing::Normals(40, 1), y = testing::Normals(30, 2, 0.5);
  const auto mean = [](const std::vector<double>& left, const std::vector<double>& right) {
    double sum = 0;
    for (const double a : left) {
      for (const double b : right) sum += std::abs(a - b);
    }
    return sum / static_cast<double>(left.size() * right.size());
  };
  EXPECT_THAT(EnergyDistance(x, y), IsNear(std::sqrt(2 * mean(x, y) - mean(x, x) - mean(y, y))));
}

TEST(Distances, AreNormedByTheReference) {
  std::vector<double> reference, current;
  for (int i = 1; i <= 30; ++i) {
    reference.push_back(i);
    current.push_back(i + 5);
  }
  EXPECT_NEAR(NormedWassersteinDistance(reference, current), 0.5776712869, 5e-11);
  const std::vector<double> constant = {1, 1};
  EXPECT_THAT(NormedWassersteinDistance(constant, std::vector<double>{2}), IsNear(1000.0));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
