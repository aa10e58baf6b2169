// The Kolmogorov-Smirnov test: are two columns draws of one distribution?
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

// Which difference counts, F being the distribution functions of the two samples.
enum class Alternative : uint8_t {
  kTwoSided,  // sup |F_reference - F_current|
  kGreater,   // sup (F_reference - F_current): current values are the greater ones.
  kLess,      // sup (F_current - F_reference)
};

struct KolmogorovSmirnov {
  double distance = 0;  // In [0, 1].
  double p_value = 1;
  // Whether p_value is that of the finite samples, not that of the limit.
  bool exact = true;
};

// Ties within and between the samples are allowed; with ties the p-value errs towards no drift.
// p is exact up to 1e8 pairs of rows, the Kolmogorov limit, which errs the same way, beyond; and
// from 1e6 pairs on also where that limit is below 1e-30. Time O((n + m) log(n + m)), for an exact
// p in addition O(n m distance), a tenth of a second at most; memory O(n + m).
KolmogorovSmirnov KolmogorovSmirnovTest(std::span<const double> reference,
                                        std::span<const double> current,
                                        Alternative alternative = Alternative::kTwoSided);

// P(D >= steps / (n m)) of samples of n and m values without ties under no difference: the share of
// lattice paths from (0, 0) to (n, m) that touch the boundary (Hodges, "The significance
// probability of the Smirnov two-sample test", 1958). The share that touches is followed, not the
// one that does not, so that small values keep all their digits.
double KolmogorovSmirnovExactP(int64_t n, int64_t m, int64_t steps,
                               Alternative alternative = Alternative::kTwoSided);

// The same in the limit of many values.
double KolmogorovSmirnovLimitP(int64_t n, int64_t m, double distance,
                               Alternative alternative = Alternative::kTwoSided);

}  // namespace tidemill::supervisor::statistics
