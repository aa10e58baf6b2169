// Many tests, one decision: p-values of many columns, and tests repeated over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::supervisor::statistics {

// What is kept at `alpha` when each of many columns is tested.
enum class Correction : uint8_t {
  kBonferroni,  // The chance that any column is called drifted though none is.
  kFdr,         // The share of columns called drifted that are not, on average.
};

// The columns that are called drifted, ascending.
//
// Bonferroni: p < alpha / d. FDR: the k least p-values for the greatest k with p_(k) < alpha k / d
// (Benjamini and Hochberg, "Controlling the false discovery rate", 1995), which holds for
// independent and for positively dependent columns. O(d log d).
std::vector<int64_t> DriftedColumns(std::span<const double> p_values, double alpha,
                                    Correction correction);

// One p-value for all columns, at most 1, that is below alpha if and only if any column is called
// drifted: min p d, or min over k of p_(k) d / k (Simes, 1986). O(d log d).
double CombinedP(std::span<const double> p_values, Correction correction);

// The level of the n-th test, n from 1, of an endless sequence of which the sum of levels is alpha:
// alpha 6 / (pi^2 n^2). Tests at these levels raise one false alarm with probability alpha at most,
// however long they go on; tests at alpha raise alpha of them per test.
double SpentAlpha(double alpha, int64_t n);

}  // namespace tidemill::supervisor::statistics
