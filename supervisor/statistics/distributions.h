// Tails of the distributions that tests of this folder need. Boost.Math stands behind them; none
// throws, arguments outside a domain give NaN.
#pragma once

#include <cstdint>

namespace tidemill::supervisor::statistics {

// P(Z > z) of the standard normal distribution.
double NormalTail(double z);

// P(X > statistic) of the chi-squared distribution.
double ChiSquaredTail(double statistic, double degrees_of_freedom);

// P(X >= successes) of the binomial distribution.
double BinomialTail(int64_t successes, int64_t trials, double probability);

// P(X = hits) when `draws` are taken without replacement from `total`, `marked` of which count.
double HypergeometricProbability(int64_t hits, int64_t marked, int64_t draws, int64_t total);

// P(K > z) of the Kolmogorov distribution, the limit of sqrt(nm / (n + m)) D under no difference
// (Kolmogorov, 1933; the second series, for small z, is Jacobi's transform of the first).
double KolmogorovTail(double z);

// P(W > t) of the limit of the Cramer-von Mises statistic (Anderson and Darling, "Asymptotic theory
// of certain goodness of fit criteria", 1952, equation 4.35).
double CramerVonMisesTail(double t);

}  // namespace tidemill::supervisor::statistics
