#include "supervisor/statistics/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "boost/math/distributions/binomial.hpp"
#include "boost/math/distributions/hypergeometric.hpp"
#include "boost/math/distributions/normal.hpp"
#include "boost/math/special_functions/bessel.hpp"
#include "boost/math/special_functions/gamma.hpp"

namespace tidemill::supervisor::statistics {
namespace {

namespace math = boost::math;
namespace policies = boost::math::policies;

// Errors become NaN or infinity, never exceptions.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::rounding_error<policies::ignore_error>,
                     policies::discrete_quantile<policies::real>, policies::promote_double<false>>;

}  // namespace

double NormalTail(double z) {
  return math::cdf(math::complement(math::normal_distribution<double, Quiet>(), z));
}

double NormalQuantile(double probability) {
  return math::quantile(math::normal_distribution<double, Quiet>(), probability);
}

double BinomialTail(int64_t successes, int64_t trials, double probability) {
  if (successes <= 0) return 1;
  if (successes > trials) return 0;
  const math::binomial_distribution<double, Quiet> law(static_cast<double>(trials), probability);
  return math::cdf(math::complement(law, static_cast<double>(successes - 1)));
}

double HypergeometricProbability(int64_t hits, int64_t marked, int64_t draws, int64_t total) {
  const math::hypergeometric_distribution<double, Quiet> law(
      static_cast<unsigned>(marked), static_cast<unsigned>(draws), static_cast<unsigned>(total));
  return math::pdf(law, static_cast<unsigned>(hits));
}

double KolmogorovTail(double z) {
  if (z <= 0) return 1;
  double sum = 0;
  if (z < 0.8) {
    const double rate = std::numbers::pi * std::numbers::pi / (8 * z * z);
    for (int k = 1; k <= 9; k += 2) sum += std::exp(-k * k * rate);
    return std::clamp(1 - std::sqrt(2 * std::numbers::pi) / z * sum, 0.0, 1.0);
  }
  for (int k = 1; k <= 9; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * z * z);
  return std::clamp(sum, 0.0, 1.0);
}

double CramerVonMisesTail(double t) {
  // Below, the distribution function is less than 1e-25.
  if (t < 0.003) return 1;
  double sum = 0;
  for (int k = 0; k < 100; ++k) {
    const double q = std::pow(4 * k + 1, 2) / (16 * t);
    if (q > 700) break;
    const double gammas = std::exp(math::lgamma(k + 0.5, Quiet()) - math::lgamma(k + 1.0, Quiet()));
    const double term = gammas * std::sqrt(4 * k + 1) * std::exp(-q) *
                        math::cyl_bessel_k(0.25, q, Quiet()) /
                        (std::pow(std::numbers::pi, 1.5) * std::sqrt(t));
    sum += term;
    if (term < 1e-17) break;
  }
  return std::clamp(1 - sum, 0.0, 1.0);
}

}  // namespace tidemill::supervisor::statistics
