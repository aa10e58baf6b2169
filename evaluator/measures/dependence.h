// How much less is known about a value because its samples follow one another.
//
// Where a model errs in one hour, it is likely to err in the next: 200 samples may say no more than
// 20 independent ones. The samples that a bootstrap draws one by one do not show it. So what one
// sample does to the value, its *influence*, is looked at in the order of time:
//
//   influence   + + + - - - - + + - - - + + + +     the rows of one moment are added up
//   lag          0 1   2 3   4 5   6 7   8 9
//   covariance   # #                                1. covariances of moments by distance,
//                # #   # #                          2. added two by two, no pair above the
//                # #   # #   # #   .                   pairs before it,
//                # #   # #   # #   # #   - .        3. until a pair is not positive
//
//   variance ratio = (c0 + 2 c1 + 2 c2 + ...) / the variance if the samples were independent
//
// This is the initial monotone sequence of Geyer, "Practical Markov Chain Monte Carlo" (Statistical
// Science 7, 1992, section 3.3). A mean that was estimated from the same samples makes every
// covariance too small, by the variance of that mean (Percival, "Three Curious Properties of the
// Sample Variance and Autocovariance for Stationary Processes with Unknown Mean", American
// Statistician 47, 1993): it is added again, until the ratio stays. A sum of m covariances of n
// moments has about n / 2m degrees of freedom (Priestley, "Spectral Analysis and Time Series",
// 1981, section 6.2, at frequency 0), hence a quantile of Student's distribution. n / 3m are
// counted, and at least 4, because m is found from the same covariances.
//
// Errors that depend on the hour of the day have positive covariances first, which later ones undo.
// So the slowest waves of the series are looked at, too, one in 50 moments and 8 to 64: their mean
// power is another estimate of the same ratio (Mueller, "A Theory of Robust Long-Run Variance
// Estimation", Journal of Econometrics 141, 2007; Lazarus et al., "HAR Inference", Journal of
// Business and Economic Statistics 36, 2018). It counts if chance would make it that much smaller
// in less than 1 % of all cases.
//
// Percentiles of moving blocks (Kuensch 1989) of the length of Politis and White (2004, corrected
// 2009) cover less: in 200 rows with dependence .9 there are some ten blocks to draw from, and
// their intervals hold the truth in .77 to .83 of all windows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace tidemill::evaluator {

struct Dependence {
  // The variance of the value by that of a value of as many independent samples, at least 1.
  double variance_ratio = 1;
  // The ratio has these degrees of freedom; infinite when no dependence was found.
  double degrees_of_freedom = std::numeric_limits<double>::infinity();

  bool WasFound() const { return variance_ratio > 1; }

  // Returns by what to multiply the distance between a value and the bounds of the 95 % interval
  // for independent samples. Exactly 1 when no dependence was found. `share` is the share of the
  // samples that were looked at, drawn by chance: among these, dependence is so much weaker.
  double Widening(double share = 1) const;
};

// Returns by what to multiply the same distance because percentiles of few draws are too near to
// each other: a further draw is below the 2.5th percentile of 200 in 3 % of all cases.
double WideningOfDraws(int replicates);

// Returns the dependence of samples with this influence (Measure::Influence()), which are in the
// order of time. `times` are their event times; when it is empty, each sample has its own
// moment. Neighbours that are alike by less than 1.645 standard errors count as independent, so
// that the intervals of independent samples stay as they are in about 23 of 25 cases. Negative
// dependence counts as none.
//
// Among fewer than 8 samples nothing is found. Samples of fewer than 8 moments are taken one by
// one. Beyond 4,096 moments, runs of moments are added up. So time grows with samples, and the rest
// is bounded.
Dependence DependenceOf(std::span<const double> influence, std::span<const int64_t> times = {});

}  // namespace tidemill::evaluator
