// The Cramer-von Mises test: like Kolmogorov-Smirnov's, but of the mean square of the difference of
// the distribution functions, which sees a small shift of everything sooner.
#pragma once

#include <cstdint>
#include <span>

namespace tidemill::supervisor::statistics {

struct CramerVonMises {
  double statistic = 0;  // T of Anderson; about 1/6 on average without drift.
  double p_value = 1;
  bool exact = true;
};

// T = U / (n m (n + m)) - (4 n m - 1) / (6 (n + m)) with U = n sum (r_i - i)^2 + m sum (s_j - j)^2,
// r and s being the ranks of the sorted samples among all values, the mean rank for ties (Anderson,
// "On the distribution of the two-sample Cramer-von Mises criterion", 1962, equations 9 and 10).
//
// p is exact while both samples have at most 20 values, by counting lattice paths (Xiao, Gordon and
// Yakovlev, "A C++ program for the Cramer-von Mises two-sample test", 2007, equation 11); beyond it
// is that of the limit, after T is given the limit's mean and variance (Anderson, section 4).
// Time O((n + m) log(n + m)).
CramerVonMises CramerVonMisesTest(std::span<const double> reference,
                                  std::span<const double> current);

double CramerVonMisesExactP(double statistic, int64_t n, int64_t m);
double CramerVonMisesLimitP(double statistic, int64_t n, int64_t m);

}  // namespace tidemill::supervisor::statistics
