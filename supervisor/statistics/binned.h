// Divergences of two histograms over the same bins, and the bins.
//
// Bins made of the reference alone stay as they are while the reference does, so that the scores of
// one evaluation after the other compare.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::supervisor::statistics {

// Ascending inner edges that put about equally many values of the reference into each of at most
// `num_bins` bins; fewer where values repeat. O(n log n).
std::vector<double> QuantileEdges(std::span<const double> reference, int64_t num_bins);

// Inner edges of ceil(log2(n + m) + 1) bins of equal width from the least to the greatest value of
// both samples (Sturges, "The choice of a class interval", 1926); none when all values are equal.
// They move with the current window. O(n + m).
std::vector<double> SturgesEdges(std::span<const double> reference,
                                 std::span<const double> current);

// How many values lie in each of the bins (-inf, e0), [e0, e1) ... [ek, inf). O(n log bins).
std::vector<int64_t> CountIn(std::span<const double> edges, std::span<const double> values);

// Numbers of samples per class or value, brought to the same classes: entry i of both belongs to
// the i-th different value of the two columns, ascending. For labels and other columns of few
// values.
struct ClassCounts {
  std::vector<int64_t> reference;
  std::vector<int64_t> current;
};
ClassCounts CountClasses(std::span<const double> reference, std::span<const double> current);

// Counts as shares of their sum, which is not 0; a share of 0 becomes `instead_of_zero`, after
// which shares may add up to a little more than 1. KL and PSI are infinite at zeros, for them 1e-4
// is usual; the others need no such thing.
std::vector<double> Shares(std::span<const int64_t> counts, double instead_of_zero = 0);

// Of two lists of shares of one length. All are 0 for equal lists and natural logarithms are meant.

// sum p ln(p / q): not symmetric, infinite where q is 0 and p is not.
double KullbackLeibler(std::span<const double> p, std::span<const double> q);

// sqrt of the mean of the divergences of p and of q from (p + q) / 2: a metric in
// [0, sqrt(ln 2)] (Endres and Schindelin, "A new metric for probability distributions", 2003).
double JensenShannonDistance(std::span<const double> p, std::span<const double> q);

// sqrt(1 - sum sqrt(p q)), in [0, 1] (Hellinger, 1909).
double HellingerDistance(std::span<const double> p, std::span<const double> q);

// Population stability index: sum (p - q) ln(p / q), which is KL both ways. By custom more than 0.1
// is a change, more than 0.2 a great one (Yurdakul, "Statistical properties of population stability
// index", 2018, has its distribution).
double PopulationStability(std::span<const double> p, std::span<const double> q);

// Half of sum |p - q|: the greatest difference of the probability of any event.
double TotalVariation(std::span<const double> p, std::span<const double> q);

}  // namespace tidemill::supervisor::statistics
