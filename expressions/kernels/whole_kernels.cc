#include <cmath>

#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"

namespace tidemill::expressions {

namespace {

template <auto kFunction>
Step::Kernel Pairs() {
  return &MapPairs<int64_t, int64_t, kFunction>;
}

template <auto kOverflows>
int64_t Checked(int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflows = kOverflows(a, b, result);
  return overflows || IsNull(a) || IsNull(b) ? kNullWhole : result;
}

int64_t Modulo(int64_t a, int64_t b) {
  if (IsNull(a) || IsNull(b) || b == 0) return kNullWhole;
  return b == -1 ? 0 : a % b;
}

int64_t Rounded(double x) {
  constexpr double kBound = 0x1p63;
  const double rounded = std::round(x);
  return rounded > -kBound && rounded < kBound ? static_cast<int64_t>(rounded) : kNullWhole;
}

}  // namespace

Step::Kernel WholeArithmetic(Arithmetic operation) {
  switch (operation) {
    case Arithmetic::kAdd:
      return Pairs<&Checked<[](int64_t a, int64_t b, int64_t& result) {
        return __builtin_add_overflow(a, b, &result);
      }>>();
    case Arithmetic::kSubtract:
      return Pairs<&Checked<[](int64_t a, int64_t b, int64_t& result) {
        return __builtin_sub_overflow(a, b, &result);
      }>>();
    case Arithmetic::kMultiply:
      return Pairs<&Checked<[](int64_t a, int64_t b, int64_t& result) {
        return __builtin_mul_overflow(a, b, &result);
      }>>();
    case Arithmetic::kModulo:
      return Pairs<&Modulo>();
    case Arithmetic::kDivide:
    case Arithmetic::kPower:
      break;
  }
  return nullptr;
}

Step::Kernel WholeFunction(std::string_view name) {
  // The least whole number, which has no opposite, is null.
  if (name == "abs") {
    return &MapRows<int64_t, int64_t, [](int64_t x) { return x < 0 && !IsNull(x) ? -x : x; }>;
  }
  if (name == "negate") {
    return &MapRows<int64_t, int64_t, [](int64_t x) { return IsNull(x) ? x : -x; }>;
  }
  return nullptr;
}

Step::Kernel WholeToNumber() {
  return &MapRows<int64_t, double,
                  [](int64_t x) { return IsNull(x) ? kNullNumber : static_cast<double>(x); }>;
}

Step::Kernel NumberToWhole() { return &MapRows<double, int64_t, &Rounded>; }

}  // namespace tidemill::expressions
