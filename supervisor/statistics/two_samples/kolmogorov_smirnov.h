// The Kolmogorov-Smirnov test: do two columns come from one distribution?
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

// Which difference counts. F is the distribution function of a sample.
enum class Alternative : uint8_t {
  kTwoSided,  // sup |F_reference - F_current|
  kGreater,   // sup (F_reference - F_current): current values are greater.
  kLess,      // sup (F_current - F_reference)
};

struct KolmogorovSmirnov {
  double distance = 0;  // In [0, 1].
  double p_value = 1;
  // Whether p_value is exact for the finite samples. Otherwise it comes from the limit.
  bool exact = true;
};

// Ties within and between the samples are allowed. With ties, the p-value errs towards no drift. p
// is exact up to 1e8 pairs of rows. Beyond, it is the Kolmogorov limit, which errs in the same
// direction. From 1e6 pairs on, the limit is also used when it is below 1e-30. Time O((n + m) log(n
// + m)); an exact p takes O(n m distance) more, at most a tenth of a second. Memory O(n + m).
KolmogorovSmirnov KolmogorovSmirnovTest(std::span<const double> reference,
                                        std::span<const double> current,
                                        Alternative alternative = Alternative::kTwoSided);

// Returns P(D >= steps / (n m)) for samples of n and m values without ties and without a
// difference. It is the share of lattice paths from (0, 0) to (n, m) that touch the boundary
// (Hodges, "The significance probability of the Smirnov two-sample test", 1958). The touching share
// is computed directly, rather than its complement, so that small values keep all their digits.
double KolmogorovSmirnovExactP(int64_t n, int64_t m, int64_t steps,
                               Alternative alternative = Alternative::kTwoSided);

// Returns the same in the limit of many values.
double KolmogorovSmirnovLimitP(int64_t n, int64_t m, double distance,
                               Alternative alternative = Alternative::kTwoSided);

}  // namespace tidemill::supervisor::statistics
