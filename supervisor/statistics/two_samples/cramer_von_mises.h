// The Cramer-von Mises test. It resembles the Kolmogorov-Smirnov test, but uses the mean square of
// the difference of the distribution functions. It finds a small shift of all values sooner.
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

struct CramerVonMises {
  double statistic = 0;  // T of Anderson. It is about 1/6 on average without drift.
  double p_value = 1;
  bool exact = true;
};

// T = U / (n m (n + m)) - (4 n m - 1) / (6 (n + m)) with U = n sum (r_i - i)^2 + m sum (s_j - j)^2.
// r and s are the ranks of the sorted samples among all values, with the mean rank for ties
// (Anderson, "On the distribution of the two-sample Cramer-von Mises criterion", 1962, equations 9
// and 10).
//
// p is exact while both samples have at most 20 values. It is computed by counting lattice paths
// (Xiao, Gordon and Yakovlev, "A C++ program for the Cramer-von Mises two-sample test", 2007,
// equation 11). Beyond that, it comes from the limit, after T is scaled to the limit's mean and
// variance (Anderson, section 4). Time O((n + m) log(n + m)).
CramerVonMises CramerVonMisesTest(std::span<const double> reference,
                                  std::span<const double> current);

double CramerVonMisesExactP(double statistic, int64_t n, int64_t m);
double CramerVonMisesLimitP(double statistic, int64_t n, int64_t m);

}  // namespace tidemill::supervisor::statistics
