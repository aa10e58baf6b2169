// Values that may be null, as steps of a graph.
#pragma once

#include <optional>
#include <string>

#include "expressions/kernels.h"
#include "expressions/type.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {

// The value of a register. Numbers have their null in band, as NaN.
struct StepValue {
  expressions::Type type = expressions::Type::kNumber;
  StepId step = 0;
  std::optional<StepId> null = std::nullopt;
  std::optional<std::string> text = std::nullopt;  // For a literal, which has no step.
};

// Makes them. The rules of null are those of expressions. `graph` must outlive it.
// Thread-compatible.
class StepValues {
 public:
  explicit StepValues(PortableGraph& graph) : graph_(graph) {}

  StepId True() { return Not(False()); }
  StepId False();
  StepId Not(StepId truth) { return graph_.Apply(StepKind::kNot, truth); }
  StepId And(StepId a, StepId b) { return graph_.Apply(StepKind::kAnd, a, b); }
  StepId Or(StepId a, StepId b) { return graph_.Apply(StepKind::kOr, a, b); }
  StepId Nan();

  // Whether the value is null; absent when it never is.
  std::optional<StepId> NullOf(const StepValue& value);
  std::optional<StepId> EitherNull(const StepValue& a, const StepValue& b);

  StepValue Choose(StepId truth, const StepValue& yes, const StepValue& no);
  StepId WhereElseNan(StepId truth, StepId number);
  StepId NumberOrNan(StepId number, const std::optional<StepId>& null);
  StepId Compare(expressions::Comparison comparison, StepId a, StepId b);

  // Halves go away from 0.
  StepId Rounded(StepId number);
  // A float64 as int64. A number that is not finite, or that does not fit into 63 bits, is null.
  StepValue WholeOf(StepId number, expressions::Type type);
  StepId SizeOfWhole(StepId whole);
  // It has the sign of the first one. There is none of 0.
  StepValue WholeRemainder(const StepValue& of, const StepValue& by);

 private:
  StepId Choose(StepId truth, expressions::Type type, StepId yes, StepId no);

  PortableGraph& graph_;
};

}  // namespace tidemill::transform
