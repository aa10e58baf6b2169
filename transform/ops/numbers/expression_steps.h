// A compiled expression as steps of arithmetic, for programs that run without Tidemill.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "expressions/program.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {

struct ExpressionSteps {
  // float64 with NaN for null when the expression is a number; int64 for a whole number and a time;
  // a truth for a boolean.
  StepId value = 0;
  // A truth. Absent for numbers, and for what is never null.
  std::optional<StepId> is_null = std::nullopt;
};

// `inputs` are the columns that the program reads, in its order; there has to be one.
// FAILED_PRECONDITION, with words that follow the expression in a sentence, when it does what has
// no steps, such as all that makes texts.
absl::StatusOr<ExpressionSteps> WriteExpression(const expressions::Program& program,
                                                const std::vector<StepId>& inputs,
                                                PortableGraph& graph);

}  // namespace tidemill::transform
