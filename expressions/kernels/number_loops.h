// The loops over numbers that use vector instructions. They are compiled once for each set of
// instructions; the results are the same to the last bit.
#pragma once

#include <cmath>
#include <limits>

#include "expressions/kernels/loops.h"
#include "expressions/program.h"

namespace tidemill::expressions {

struct NumberLoops {
  // By Arithmetic::kAdd to kDivide, and by whether the second operand is constant.
  Step::Kernel arithmetic[4][2];
  Step::Kernel absolute;
  Step::Kernel root;
  Step::Kernel negate;
  Step::Kernel from_float;
  Step::Kernel finite;
};

template <auto kFunction>
static constexpr Step::Kernel EachNumber() {
  return &MapRows<double, double, kFunction>;
}

// Makes the table in the source that is compiled for a set of instructions. It and the loops have
// internal linkage, so that no other source runs code that was compiled for other processors. A
// template, because not every source that includes it makes a table.
template <int = 0>
static constexpr NumberLoops MakeNumberLoops() {
  constexpr auto kAdd = [](double a, double b) { return a + b; };
  constexpr auto kSubtract = [](double a, double b) { return a - b; };
  constexpr auto kMultiply = [](double a, double b) { return a * b; };
  constexpr auto kDivide = [](double a, double b) {
    return a / (b == 0 ? std::numeric_limits<double>::quiet_NaN() : b);
  };
  return {.arithmetic = {{&MapPairs<double, double, kAdd, false>,
                          &MapPairs<double, double, kAdd, true>},
                         {&MapPairs<double, double, kSubtract, false>,
                          &MapPairs<double, double, kSubtract, true>},
                         {&MapPairs<double, double, kMultiply, false>,
                          &MapPairs<double, double, kMultiply, true>},
                         {&MapPairs<double, double, kDivide, false>,
                          &MapPairs<double, double, kDivide, true>}},
          .absolute = EachNumber<[](double x) { return std::fabs(x); }>(),
          .root = EachNumber<[](double x) { return std::sqrt(x); }>(),
          .negate = EachNumber<[](double x) { return -x; }>(),
          .from_float = &MapRows<float, double, [](float x) { return static_cast<double>(x); }>,
          .finite = EachNumber<[](double x) {
            constexpr double kMax = std::numeric_limits<double>::max();
            return x <= kMax && x >= -kMax ? x : std::numeric_limits<double>::quiet_NaN();
          }>()};
}

#if defined(TIDEMILL_VECTOR_LOOPS) || defined(TIDEMILL_NUMBER_LOOPS)
// For processors with AVX2, and for those with AVX-512 as well.
const NumberLoops& Avx2NumberLoops();
const NumberLoops& Avx512NumberLoops();
#endif

}  // namespace tidemill::expressions
