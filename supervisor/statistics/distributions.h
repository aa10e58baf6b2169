// Tails of the distributions that the tests of this folder need. Boost.Math computes them. None
// throws; arguments outside a domain give NaN.
#pragma once

#include <cstdint>

namespace tidemill::supervisor::statistics {

// P(Z > z) of the standard normal distribution.
double NormalTail(double z);

// Returns z with P(Z <= z) = probability, in (0, 1).
double NormalQuantile(double probability);

// P(X >= successes) of the binomial distribution.
double BinomialTail(int64_t successes, int64_t trials, double probability);

// P(X = hits) when `draws` are taken without replacement from `total`, of which `marked` count as
// hits.
double HypergeometricProbability(int64_t hits, int64_t marked, int64_t draws, int64_t total);

// P(K > z) of the Kolmogorov distribution, which is the limit of sqrt(nm / (n + m)) D without a
// difference (Kolmogorov, 1933). The second series, for small z, is Jacobi's transform of the
// first.
double KolmogorovTail(double z);

// P(W > t) of the limit of the Cramer-von Mises statistic (Anderson and Darling, "Asymptotic theory
// of certain goodness of fit criteria", 1952, equation 4.35).
double CramerVonMisesTail(double t);

}  // namespace tidemill::supervisor::statistics
