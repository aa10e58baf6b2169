// Random numbers for tests: pure functions of their seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "supervisor/statistics/contingency.h"

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

// Returns how well p-values fit the uniform distribution, as a p-value. It is computed from counts
// in ten equal bins, which include their upper ends.
inline double UniformityP(const std::vector<double>& p_values) {
  std::vector<int64_t> counts(10, 0);
  for (const double p : p_values) {
    const auto bin = static_cast<int64_t>(std::ceil(p * 10 - 1e-9)) - 1;
    ++counts[static_cast<size_t>(std::clamp<int64_t>(bin, 0, 9))];
  }
  return GoodnessOfFit(counts, std::vector<int64_t>(10, 1)).p_value;
}

}  // namespace tidemill::supervisor::statistics::testing
