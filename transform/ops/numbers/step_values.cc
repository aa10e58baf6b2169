#include "transform/ops/numbers/step_values.h"

#include <limits>

namespace tidemill::transform {
namespace {

using batch::DataType;
using expressions::Comparison;
using expressions::Type;

}  // namespace

StepId StepValues::False() {
  const StepId zero = graph_.Number(DataType::kInt64, 0);
  return graph_.Apply(StepKind::kLess, zero, zero);
}

StepId StepValues::Nan() {
  return graph_.Number(DataType::kFloat64, std::numeric_limits<double>::quiet_NaN());
}

std::optional<StepId> StepValues::NullOf(const StepValue& value) {
  if (value.type == Type::kNumber) return graph_.Apply(StepKind::kIsMissing, value.step);
  return value.null;
}

std::optional<StepId> StepValues::EitherNull(const StepValue& a, const StepValue& b) {
  const auto left = NullOf(a);
  const auto right = NullOf(b);
  if (!left || !right) return left ? left : right;
  return Or(*left, *right);
}

StepId StepValues::Choose(StepId truth, Type type, StepId yes, StepId no) {
  if (type != Type::kTruth) return graph_.Where(truth, yes, no);
  return Or(And(truth, yes), And(Not(truth), no));
}

StepValue StepValues::Choose(StepId truth, const StepValue& yes, const StepValue& no) {
  StepValue made{.type = yes.type, .step = Choose(truth, yes.type, yes.step, no.step)};
  if (yes.type != Type::kNumber && (yes.null || no.null)) {
    made.null =
        Choose(truth, Type::kTruth, yes.null ? *yes.null : False(), no.null ? *no.null : False());
  }
  return made;
}

StepId StepValues::WhereElseNan(StepId truth, StepId number) {
  return graph_.Where(truth, number, Nan());
}

StepId StepValues::SizeOfWhole(StepId whole) {
  return graph_.Where(graph_.WithNumber(StepKind::kLess, whole, 0),
                      graph_.WithNumber(StepKind::kMultiply, whole, -1), whole);
}

StepValue StepValues::WholeRemainder(const StepValue& of, const StepValue& by) {
  const StepId is_zero = graph_.WithNumber(StepKind::kEqual, by.step, 0);
  const StepId divisor =
      graph_.Where(is_zero, graph_.Number(DataType::kInt64, 1), SizeOfWhole(by.step));
  const StepId size = graph_.Apply(StepKind::kRemainder, SizeOfWhole(of.step), divisor);
  const StepId is_negative = graph_.WithNumber(StepKind::kLess, of.step, 0);
  const auto null = EitherNull(of, by);
  return {.type = Type::kWhole,
          .step = graph_.Where(is_negative, graph_.WithNumber(StepKind::kMultiply, size, -1), size),
          .null = null ? Or(*null, is_zero) : is_zero};
}

StepId StepValues::Rounded(StepId number) {
  const StepId size = graph_.Apply(StepKind::kAbsolute, number);
  const StepId rounded =
      graph_.Apply(StepKind::kFloor, graph_.WithNumber(StepKind::kAdd, size, 0.5));
  const StepId is_negative = graph_.WithNumber(StepKind::kLess, number, 0);
  return graph_.Where(is_negative, graph_.WithNumber(StepKind::kMultiply, rounded, -1), rounded);
}

StepId StepValues::Compare(Comparison comparison, StepId a, StepId b) {
  switch (comparison) {
    case Comparison::kEqual:
      return graph_.Apply(StepKind::kEqual, a, b);
    case Comparison::kUnequal:
      return Not(graph_.Apply(StepKind::kEqual, a, b));
    case Comparison::kLess:
      return graph_.Apply(StepKind::kLess, a, b);
    case Comparison::kLessEqual:
      return graph_.Apply(StepKind::kGreaterOrEqual, b, a);
    case Comparison::kGreater:
      return graph_.Apply(StepKind::kLess, b, a);
    case Comparison::kGreaterEqual:
      break;
  }
  return graph_.Apply(StepKind::kGreaterOrEqual, a, b);
}

StepId StepValues::NumberOrNan(StepId number, const std::optional<StepId>& null) {
  return null ? graph_.Where(*null, Nan(), number) : number;
}

StepValue StepValues::WholeOf(StepId number, Type type) {
  const StepId size = graph_.Apply(StepKind::kAbsolute, number);
  const StepId fits = graph_.WithNumber(StepKind::kLess, size, 0x1p62);
  const StepId known = graph_.Where(fits, number, graph_.Number(DataType::kFloat64, 0));
  return {.type = type, .step = graph_.Cast(known, DataType::kInt64), .null = Not(fits)};
}

}  // namespace tidemill::transform
