// One decision from many tests: p-values of many columns, and tests repeated over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::supervisor::statistics {

// The error rate that is kept at `alpha` when each of many columns is tested.
enum class Correction : uint8_t {
  kBonferroni,  // The chance that any column is called drifted although none is.
  kFdr,         // The average share of columns called drifted that are not.
};

// A column is called drifted by Bonferroni if p < alpha / d, by FDR if its p is among the k least,
// for the greatest k with p_(k) < alpha k / d (Benjamini and Hochberg, "Controlling the false
// discovery rate", 1995). FDR is valid for independent and for positively dependent columns.

// Returns one p-value for all columns, at most 1. It is below alpha if and only if any column is
// called drifted: min p d, or min over k of p_(k) d / k (Simes, 1986). O(d log d).
double CombinedP(std::span<const double> p_values, Correction correction);

// Returns a p-value for each column, at most 1: below alpha if and only if that column is called
// drifted. It is p d, or min over j >= k of p_(j) d / j for the k-th least. O(d log d).
std::vector<double> CorrectedP(std::span<const double> p_values, Correction correction);

// Returns the level of test n, from 1, in an endless sequence whose levels sum up to alpha: alpha 6
// / (pi^2 n^2). Tests at these levels raise a false alarm with probability alpha at most, however
// long they continue. Tests at alpha raise alpha of them per test.
double SpentAlpha(double alpha, int64_t n);

}  // namespace tidemill::supervisor::statistics
