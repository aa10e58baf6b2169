// The scale of targets that a graph standardises, and how to convert a model's answers back.
#pragma once

#include <span>

#include "base/status.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"

namespace tidemill::transform {

// The model answers (x - mean) / deviation for a target x. Thread-compatible.
struct TargetScale {
  double mean = 0;
  double deviation = 1;

  bool IsNone() const { return mean == 0 && deviation == 1; }
  // Converts a model's answers to the units of the target, in place.
  void PutBack(std::span<float> values) const;

  friend bool operator==(const TargetScale&, const TargetScale&) = default;
};

// Whether it is, or ends with, an op `standardize` that names the column `target`.
bool StandardizesTarget(const OpSpec& op);
bool StandardizesTarget(const GraphSpec& graph);

// Adds such an op at the end.
void StandardizeTarget(GraphSpec& graph);

// Returns the scale that a graph has learned for its target. The scale is the identity, and
// `fitted` may be nullptr, when the graph does not standardise the target. FAILED_PRECONDITION when
// a fitted state is needed and missing. INVALID_ARGUMENT when it belongs to another graph, or when
// the target has several numbers.
absl::StatusOr<TargetScale> TargetScaleOf(const GraphSpec& graph, const FittedState* fitted);

}  // namespace tidemill::transform
