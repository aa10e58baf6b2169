// A test on counts: have the shares of two classes changed?
#pragma once

#include <cstdint>

namespace tidemill::supervisor::statistics {

// Returns the probability, under independence and with fixed margins, of all tables that are at
// most as likely as the counts ((a, b), (c, d)) (Fisher, "Statistical methods for research
// workers", 1934, section 21.02). It is exact for any counts. O(smallest margin).
double FisherExactP(int64_t a, int64_t b, int64_t c, int64_t d);

}  // namespace tidemill::supervisor::statistics
