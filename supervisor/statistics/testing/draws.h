// Random numbers for tests: pure functions of their seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/numbers/random.h"
#include "boost/math/distributions/chi_squared.hpp"

namespace tidemill::supervisor::statistics::testing {

inline std::vector<double> Uniforms(int64_t count, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(RandomUnit({.seed = seed, .purpose = "test"}, i));
  }
  return values;
}

// From the normal distribution with mean `mean` and deviation 1 (Box and Muller, 1958).
inline std::vector<double> Normals(int64_t count, int64_t seed, double mean = 0) {
  const std::vector<double> units = Uniforms(2 * count, seed);
  std::vector<double> values;
  for (size_t i = 0; i < units.size(); i += 2) {
    values.push_back(mean + std::sqrt(-2 * std::log(1 - units[i])) *
                                std::cos(2 * std::numbers::pi * units[i + 1]));
  }
  return values;
}

// Returns the probability that counts of classes that are equally likely differ as much as these
// (Pearson, 1900).
inline double EvennessP(const std::vector<int64_t>& counts) {
  const double expected =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0})) /
      static_cast<double>(counts.size());
  double statistic = 0;
  for (const int64_t count : counts) {
    const double deviation = static_cast<double>(count) - expected;
    statistic += deviation * deviation / expected;
  }
  const boost::math::chi_squared_distribution<double> law(static_cast<double>(counts.size() - 1));
  return boost::math::cdf(boost::math::complement(law, statistic));
}

// Returns how well p-values fit the uniform distribution, as a p-value. It is computed from counts
// in ten equal bins, which include their upper ends.
inline double UniformityP(const std::vector<double>& p_values) {
  std::vector<int64_t> counts(10, 0);
  for (const double p : p_values) {
    const auto bin = static_cast<int64_t>(std::ceil(p * 10 - 1e-9)) - 1;
    ++counts[static_cast<size_t>(std::clamp<int64_t>(bin, 0, 9))];
  }
  return EvennessP(counts);
}

}  // namespace tidemill::supervisor::statistics::testing
