// Makes the table of a set of instructions, in the source that is compiled for it. Everything has
// internal linkage, so that no other source runs what was compiled for other processors.
#pragma once

#include <cmath>
#include <limits>

#include "expressions/kernels.h"
#include "expressions/loops.h"
#include "expressions/number_loops.h"

namespace tidemill::expressions {

template <auto kFunction>
static constexpr Step::Kernel EachNumber() {
  return &MapRows<double, double, kFunction>;
}

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
            constexpr double kMost = std::numeric_limits<double>::max();
            return x <= kMost && x >= -kMost ? x : std::numeric_limits<double>::quiet_NaN();
          }>()};
}

}  // namespace tidemill::expressions
