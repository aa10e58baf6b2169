// Tests on counts: have the shares of classes changed?
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

struct ChiSquared {
  double statistic = 0;
  int64_t degrees_of_freedom = 0;
  double p_value = 1;
};

// Whether two lists of counts over the same classes are of one distribution (Pearson, "On the
// probability that two independent distributions of frequency are really samples from the same
// population", 1911). Classes that neither has are left out. p is that of the limit, good from
// about five expected samples per class on; no correction for continuity.
ChiSquared ChiSquaredTest(std::span<const int64_t> reference, std::span<const int64_t> current);

// Whether `observed` are draws of the distribution with the shares of `expected`, taken as known
// (Pearson, 1900): sum (observed - expected)^2 / expected, `expected` scaled to the same sum.
// `expected` has no zeros.
ChiSquared GoodnessOfFit(std::span<const int64_t> observed, std::span<const int64_t> expected);

// P under independence, margins given, of a table of counts ((a, b), (c, d)) that is at most as
// likely as this one (Fisher, "Statistical methods for research workers", 1934, section 21.02).
// Exact at any counts. O(smallest margin).
double FisherExactP(int64_t a, int64_t b, int64_t c, int64_t d);

}  // namespace tidemill::supervisor::statistics
