// Logarithms by arithmetic that a compiler can do on several numbers at once. The C library's
// function is called number by number.
#pragma once

#include <bit>
#include <cstdint>

namespace tidemill::transform {

// Returns the natural logarithm of number * (1 + rest), for a normal number above 0 and a rest that
// is tiny. The method and the constants are from FreeBSD's s_log1p.c: the number is 2^k * (1 + f),
// where 1 + f is between sqrt(1/2) and sqrt(2), and log(1 + f) is a polynomial in f / (2 + f).
inline double LogarithmOf(double number, double rest = 0) {
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E00000000;
  constexpr uint64_t kBitsOfWhole =
      0x4338000000000000;           // Whole numbers in the low bits of a double.
  constexpr uint64_t kBias = 1023;  // Keeps the exponents of numbers below 1 from being negative.
  constexpr double kWhole = 0x1.8p52 + static_cast<double>(kBias);
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const uint64_t bits = std::bit_cast<uint64_t>(number) - kSqrtHalf + (kBias << 52);
  const uint64_t exponent = bits >> 52;
  const double k = std::bit_cast<double>(kBitsOfWhole + exponent) - kWhole;
  const double f = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) + kSqrtHalf) - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860510658591e-01)));
  const double half = 0.5 * f * f;
  return k * kLn2High - ((half - (s * (half + even + odd) + (k * kLn2Low + rest))) - f);
}

}  // namespace tidemill::transform
