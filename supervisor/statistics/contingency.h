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

// Tests whether two lists of counts over the same classes come from one distribution (Pearson, "On
// the probability that two independent distributions of frequency are really samples from the same
// population", 1911). Classes that neither list has are left out. p is that of the limit, which is
// good from about five expected samples per class on. There is no correction for continuity.
ChiSquared ChiSquaredTest(std::span<const int64_t> reference, std::span<const int64_t> current);

// Tests whether `observed` is a draw from the distribution with the shares of `expected`, which are
// taken as known (Pearson, 1900): sum (observed - expected)^2 / expected, with `expected` scaled to
// the same sum. `expected` must have no zeros.
ChiSquared GoodnessOfFit(std::span<const int64_t> observed, std::span<const int64_t> expected);

// Returns the probability, under independence and with fixed margins, of all tables that are at
// most as likely as the counts ((a, b), (c, d)) (Fisher, "Statistical methods for research
// workers", 1934, section 21.02). It is exact for any counts. O(smallest margin).
double FisherExactP(int64_t a, int64_t b, int64_t c, int64_t d);

}  // namespace tidemill::supervisor::statistics
