#include "supervisor/statistics/two_samples/mmd.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/testing/vectors.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Flat;
using testing::IsNear;
using testing::Normals;
using testing::Vectors;

double Squared(const Rows& x, const Rows& y, double width) {
  return MmdTest(x, y, {.widths = {width}}).squared;
}

// The definition, one kernel value at a time.
double SquaredByPairs(const Rows& x, const Rows& y, double width) {
  const auto mean = [&](const Rows& left, const Rows& right, bool same) {
    double sum = 0;
    for (int64_t i = 0; i < left.num_rows(); ++i) {
      for (int64_t j = 0; j < right.num_rows(); ++j) {
        if (same && i == j) continue;
        double square = 0;
        for (size_t c = 0; c < static_cast<size_t>(left.num_columns); ++c) {
          square += std::pow(left[i][c] - right[j][c], 2);
        }
        sum += std::exp(-square / (2 * width * width));
      }
    }
    return sum / static_cast<double>(left.num_rows() * (right.num_rows() - (same ? 1 : 0)));
  };
  return mean(x, x, true) + mean(y, y, true) - 2 * mean(x, y, false);
}

TEST(Mmd, AgreesWithItsVectors) {
  const auto& known = Vectors().at("mmd");
  const auto x = Flat(known.at("x")), y = Flat(known.at("y"));
  for (const auto& expected : known.at("cases")) {
    const Mmd mmd = MmdTest({x, 2}, {y, 2}, {.widths = {expected.at("sigma").get<double>()}});
    EXPECT_THAT(mmd.squared, IsNear(expected.at("mmd2_unbiased").get<double>()));
    EXPECT_THAT(mmd.squared_biased, IsNear(expected.at("mmd2_biased").get<double>()));
  }
  EXPECT_THAT(MedianWidth({x, 2}), IsNear(known.at("alibi_sigma_xref").get<double>()));
  EXPECT_THAT(MedianWidth({x, 2}, {y, 2}), IsNear(known.at("alibi_sigma_xy").get<double>()));
  for (const double width : {std::sqrt(0.5), 2.0}) {
    const Mmd mmd = MmdTest({x, 2}, {y, 2}, {.widths = {width}, .permutations = 100});
    EXPECT_EQ(mmd.permutation.drawn, 34);
    EXPECT_THAT(mmd.permutation.p_value, IsNear(known.at("exhaustive_p").get<double>()));
  }
}

TEST(Mmd, HasAClosedFormOnTwoPointsEach) {
  const std::vector<double> x = {0, 1}, y = {3, 4};
  EXPECT_NEAR(Squared({x}, {y}, 1), 1.1341169500, 5e-11);
}

TEST(Mmd, AveragesKernels) {
  const auto x = Normals(20, 1), y = Normals(20, 2);
  EXPECT_THAT(MmdTest({x, 2}, {y, 2}, {.widths = {0.5, 2}}).squared,
              IsNear((Squared({x, 2}, {y, 2}, 0.5) + Squared({x, 2}, {y, 2}, 2)) / 2));
}

TEST(Mmd, IsTheSameInBlocksAsByPairs) {
  // More rows than two blocks, far from 0, where differences of squares lose digits.
  const auto x = Normals(900, 1, 1000), y = Normals(600, 2, 1000.3);
  EXPECT_NEAR(Squared({x, 3}, {y, 3}, 1.5), SquaredByPairs({x, 3}, {y, 3}, 1.5), 1e-10);
}

TEST(Mmd, IsSymmetricAndBlindToTranslationAndRotation) {
  const auto x = Normals(60, 1), y = Normals(80, 2, 0.5);
  const double here = Squared({x, 2}, {y, 2}, 1);
  EXPECT_THAT(Squared({y, 2}, {x, 2}, 1), IsNear(here));
  const auto turned = [](std::vector<double> rows) {
    for (size_t i = 0; i < rows.size(); i += 2) {
      const double a = rows[i], b = rows[i + 1];
      rows[i] = 0.6 * a - 0.8 * b + 5;
      rows[i + 1] = 0.8 * a + 0.6 * b - 3;
    }
    return rows;
  };
  const auto moved_x = turned(x), moved_y = turned(y);
  EXPECT_THAT(Squared({moved_x, 2}, {moved_y, 2}, 1), IsNear(here));
}

TEST(Mmd, IsZeroOnAverageWithoutDrift) {
  double sum = 0, squares = 0;
  for (int64_t seed = 0; seed < 500; ++seed) {
    const auto x = Normals(20, 2 * seed), y = Normals(20, 2 * seed + 1);
    const double squared = Squared({x}, {y}, 1);
    sum += squared;
    squares += squared * squared;
  }
  EXPECT_LT(std::abs(sum), 4 * std::sqrt(squares));
}

TEST(Mmd, HasUniformPermutationPWithoutDrift) {
  std::vector<double> p_values;
  for (int64_t seed = 0; seed < 500; ++seed) {
    const auto x = Normals(60, 2 * seed), y = Normals(40, 2 * seed + 1);
    const Mmd mmd = MmdTest({x, 2}, {y, 2}, {.permutations = 99, .seed = seed});
    p_values.push_back(mmd.permutation.p_value);
  }
  EXPECT_GT(testing::UniformityP(p_values), 1e-3);
}

TEST(Mmd, SeesAChangeOfShape) {
  const auto x = Normals(400, 1);
  auto y = Normals(400, 2);
  for (double& value : y) value *= 1.6;
  EXPECT_EQ(MmdTest({x, 2}, {y, 2}, {.permutations = 99}).permutation.p_value, 0.01);
}

TEST(Mmd, ComparesADrawOfManyRows) {
  const auto x = Normals(3000, 1), y = Normals(3000, 2, 1);
  const MmdOptions options = {.widths = {1}, .most_rows = 300};
  const double drawn = MmdTest({x}, {y}, options).squared;
  EXPECT_EQ(drawn, MmdTest({x}, {y}, options).squared);
  EXPECT_NEAR(drawn, Squared({x}, {y}, 1), 0.1);
}

TEST(Mmd, HasAWidthWhereRowsRepeat) {
  const std::vector<double> same = {3, 3, 3}, most = {0, 0, 0, 0, 2};
  EXPECT_EQ(MedianWidth({same}), 1);
  EXPECT_THAT(MedianWidth({most}), IsNear(std::sqrt(2.0)));
  EXPECT_EQ(MmdTest({same}, {same}, {}).squared, 0);
}

TEST(LinearMmd, EstimatesTheSameDistance) {
  const auto x = Normals(20'000, 1), y = Normals(20'000, 2, 1);
  const LinearMmd linear = LinearMmdTest({x}, {y}, {.widths = {1}});
  EXPECT_EQ(linear.num_terms, 10'000);
  EXPECT_NEAR(linear.squared, Squared({x}, {y}, 1), 0.03);
  EXPECT_LT(linear.p_value, 1e-10);
}

TEST(LinearMmd, HasUniformPWithoutDrift) {
  std::vector<double> p_values;
  for (int64_t seed = 0; seed < 1000; ++seed) {
    const auto x = Normals(200, 2 * seed), y = Normals(200, 2 * seed + 1);
    p_values.push_back(LinearMmdTest({x}, {y}, {.widths = {1}, .seed = seed}).p_value);
  }
  EXPECT_GT(testing::UniformityP(p_values), 1e-3);
}

TEST(LinearMmd, SaysNothingOfThreeRows) {
  const std::vector<double> x = {1, 2, 3}, y = {7, 8, 9};
  EXPECT_EQ(LinearMmdTest({x}, {y}, {}).p_value, 1);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
