#include <cmath>

#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"
#include "expressions/kernels/number_loops.h"

namespace tidemill::expressions {

namespace {

const NumberLoops& PlainNumberLoops() {
  static constexpr NumberLoops kLoops = MakeNumberLoops();
  return kLoops;
}

const NumberLoops& FastestNumberLoops() {
#ifdef TIDEMILL_VECTOR_LOOPS
  if (__builtin_cpu_supports("avx512f")) return Avx512NumberLoops();
  if (__builtin_cpu_supports("avx2")) return Avx2NumberLoops();
#endif
  return PlainNumberLoops();
}

const NumberLoops& Loops() {
  static const NumberLoops& loops = FastestNumberLoops();
  return loops;
}

template <auto kFunction>
Step::Kernel Pairs(bool constant_right) {
  return constant_right ? &MapPairs<double, double, kFunction, true>
                        : &MapPairs<double, double, kFunction, false>;
}

template <auto kFunction>
Step::Kernel Each() {
  return &MapRows<double, double, kFunction>;
}

// exp() of these is not too large for its type, or is infinite as it should be.
double Logarithm(double x) { return x > 0 ? std::log(x) : kNullNumber; }
double Log1p(double x) { return x > -1 ? std::log1p(x) : kNullNumber; }

void RoundRows(const Step& step, Registers& rows) {
  const double scale =
      std::pow(10.0, static_cast<double>(static_cast<const WholeSetting&>(*step.setting).value));
  const double* const in = rows.In<double>(step.from[0]);
  double* const out = rows.Out<double>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const double rounded = std::round(in[i] * scale) / scale;
    // A number without such digits is not changed.
    out[i] = std::isfinite(rounded) ? rounded : in[i];
  }
}

void ClipRows(const Step& step, Registers& rows) {
  const double* const in = rows.In<double>(step.from[0]);
  const double* const low = rows.In<double>(step.from[1]);
  const double* const high = rows.In<double>(step.from[2]);
  double* const out = rows.Out<double>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const double raised = in[i] < low[i] ? low[i] : in[i];
    const double clipped = raised > high[i] ? high[i] : raised;
    out[i] = IsNull(low[i]) || IsNull(high[i]) ? kNullNumber : clipped;
  }
}

}  // namespace

Step::Kernel NumberArithmetic(Arithmetic operation, bool constant_right) {
  switch (operation) {
    case Arithmetic::kAdd:
    case Arithmetic::kSubtract:
    case Arithmetic::kMultiply:
    case Arithmetic::kDivide:
      return Loops().arithmetic[static_cast<size_t>(operation)][constant_right ? 1 : 0];
    case Arithmetic::kModulo:
      return Pairs<[](double a, double b) { return std::fmod(a, b); }>(constant_right);
    case Arithmetic::kPower:
      // pow() says 1 for 1 ^ null and null ^ 0.
      return Pairs<[](double a, double b) {
        return IsNull(a) || IsNull(b) ? kNullNumber : std::pow(a, b);
      }>(constant_right);
  }
  return nullptr;
}

Step::Kernel NumberFunction(std::string_view name) {
  if (name == "abs") return Loops().absolute;
  if (name == "sqrt") return Loops().root;
  if (name == "exp") return Each<[](double x) { return std::exp(x); }>();
  if (name == "log") return Each<&Logarithm>();
  if (name == "log1p") return Each<&Log1p>();
  if (name == "floor") return Each<[](double x) { return std::floor(x); }>();
  if (name == "round") return Each<[](double x) { return std::round(x); }>();
  if (name == "negate") return Loops().negate;
  return nullptr;
}

Step::Kernel NumberClip() { return &ClipRows; }
Step::Kernel RoundToDigits() { return &RoundRows; }

Step::Kernel FloatToNumber() { return Loops().from_float; }
Step::Kernel FiniteNumber() { return Loops().finite; }

}  // namespace tidemill::expressions
