// Numbers that follow one another, for tests of dependence.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/numbers/random.h"

namespace tidemill::evaluator::testing {

// Returns a draw from the standard normal distribution, the same for the same arguments.
inline double NormalDraw(std::string_view purpose, int64_t seed, int64_t i) {
  const RandomKey key{.seed = seed, .purpose = purpose};
  const double radius = std::sqrt(-2 * std::log(1 - RandomUnit(key, 2 * i)));
  return radius * std::cos(2 * std::numbers::pi * RandomUnit(key, 2 * i + 1));
}

// A stationary chain of order one: each number is standard normal, and has the correlation `rho`
// with the one before.
inline std::vector<double> Chain(std::string_view purpose, int64_t seed, double rho,
                                 size_t length) {
  std::vector<double> chain(length);
  for (size_t i = 0; i < length; ++i) {
    const double drawn = NormalDraw(purpose, seed, static_cast<int64_t>(i));
    chain[i] = i == 0 ? drawn : rho * chain[i - 1] + std::sqrt(1 - rho * rho) * drawn;
  }
  return chain;
}

}  // namespace tidemill::evaluator::testing
