// Divergences of two histograms over the same bins, and the bins.
//
// Bins that are made from the reference alone do not change while the reference does not. The
// scores of successive evaluations can then be compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::supervisor::statistics {

// Returns ascending inner edges. They put about equally many values of the reference into each of
// at most `num_bins` bins. There are fewer bins when values repeat. O(n log n).
std::vector<double> QuantileEdges(std::span<const double> reference, int64_t num_bins);

// Returns the number of values in each of the bins (-inf, e0), [e0, e1) ... [ek, inf). O(n log
// bins).
std::vector<int64_t> CountIn(std::span<const double> edges, std::span<const double> values);

// The numbers of samples per class or value, for the same classes in both windows. Entry i of both
// belongs to the i-th distinct value of the two columns, ascending. For labels and other columns of
// few values.
struct ClassCounts {
  std::vector<int64_t> reference;
  std::vector<int64_t> current;
};
ClassCounts CountClasses(std::span<const double> reference, std::span<const double> current);

// Returns counts as shares of their sum, which must not be 0. A share of 0 becomes
// `instead_of_zero`; the shares may then add up to a little more than 1. KL and PSI are infinite at
// zeros, and 1e-4 is usual for them. The others need no replacement.
std::vector<double> Shares(std::span<const int64_t> counts, double instead_of_zero = 0);

// The functions below take two lists of shares of the same length. All are 0 for equal lists. They
// use natural logarithms.

// sum p ln(p / q). It is not symmetric. It is infinite when some q is 0 and its p is not.
double KullbackLeibler(std::span<const double> p, std::span<const double> q);

// The root of the mean of the divergences of p and of q from (p + q) / 2. It is a metric in [0,
// sqrt(ln 2)] (Endres and Schindelin, "A new metric for probability distributions", 2003).
double JensenShannonDistance(std::span<const double> p, std::span<const double> q);

// sqrt(1 - sum sqrt(p q)), in [0, 1] (Hellinger, 1909).
double HellingerDistance(std::span<const double> p, std::span<const double> q);

// The population stability index: sum (p - q) ln(p / q), which is KL in both directions. By custom,
// more than 0.1 is a change and more than 0.2 a large one. Yurdakul, "Statistical properties of
// population stability index" (2018), gives its distribution.
double PopulationStability(std::span<const double> p, std::span<const double> q);

}  // namespace tidemill::supervisor::statistics
