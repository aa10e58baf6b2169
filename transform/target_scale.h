// Targets that a graph standardises, and how what a model says of them is put back.
#pragma once

#include <span>

#include "base/status.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"

namespace tidemill::transform {

// A model says (x - mean) / deviation where the target is x. Thread-compatible.
struct TargetScale {
  double mean = 0;
  double deviation = 1;

  bool IsNone() const { return mean == 0 && deviation == 1; }
  // From what a model says to the units of the target, in place.
  void PutBack(std::span<float> values) const;

  friend bool operator==(const TargetScale&, const TargetScale&) = default;
};

// Whether it is an op `standardize` that names the column `target`.
bool StandardizesTarget(const OpSpec& op);
bool StandardizesTarget(const GraphSpec& graph);

// Adds such an op at the end.
void StandardizeTarget(GraphSpec& graph);

// What a graph has learned of its target; none where it does not standardise it. `fitted` may be
// nullptr then. FAILED_PRECONDITION without the fitted state that is needed, INVALID_ARGUMENT for
// one of another graph, or of a target of several numbers.
absl::StatusOr<TargetScale> TargetScaleOf(const GraphSpec& graph, const FittedState* fitted);

}  // namespace tidemill::transform
