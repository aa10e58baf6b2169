// The expected cost of keeping a model, when its error and the error of a new model are only
// estimated from samples.
#pragma once

namespace tidemill::supervisor::statistics {

// A normal distribution.
struct NormalBelief {
  double mean = 0;
  double variance = 0;
};

// Returns what is known about an error after `rows` samples had `errors`: the mean and the variance
// of the Beta posterior under Jeffreys' prior. For errors between 0 and 1 that are not counts, the
// variance is an upper bound.
NormalBelief ErrorBelief(double errors, double rows);

// Returns the expected regret of keeping, E[max(0, kept - made)] for independent errors, less its
// value if both errors were equal and the samples differed only by chance: s / sqrt(pi), where s^2
// is the sum of the variances. Without drift its mean is 0.
double ExcessRegret(const NormalBelief& kept, const NormalBelief& made);

}  // namespace tidemill::supervisor::statistics
